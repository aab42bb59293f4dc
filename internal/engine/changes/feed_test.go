package changes_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/bowline-mcp/bowline/internal/engine/changes"
)

func TestAFeedNotifiesAllListeners(t *testing.T) {
	t.Parallel()
	feed, heard := changes.NewFeed(), map[int]int{}
	stops := map[int]func(){}
	for i := range 10_000 {
		stops[i] = feed.Listen(func(change changes.Change) {
			if change.Key == "a://b" {
				heard[i]++
			}
		})
	}
	updated := changes.Change{Topic: contents, Key: "a://b"}
	feed.Publish(updated)
	for i := range 5_000 {
		stops[i]()
	}
	feed.Publish(updated)
	for i := range 10_000 {
		if want := 1 + i/5_000; heard[i] != want {
			t.Fatalf("listener %d got %d changes, want %d", i, heard[i], want)
		}
	}
}

func TestAFeedWithoutListenersAcceptsNewOnes(t *testing.T) {
	t.Parallel()
	feed := changes.NewFeed()
	feed.Publish(changes.Change{Topic: toolsTopic}) // without listeners
	var heard []*changes.Topic
	for range 2 {
		stop := feed.Listen(func(change changes.Change) { heard = append(heard, change.Topic) })
		feed.Publish(changes.Change{Topic: promptsTopic})
		stop()
		feed.Publish(changes.Change{Topic: toolsTopic})
	}
	if want := []*changes.Topic{promptsTopic, promptsTopic}; !slices.Equal(heard, want) {
		t.Errorf("got %v, want %v", heard, want)
	}
}

func TestNotificationsOfChangesHaveTheirWireForm(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		change       changes.Change
		subscription string
		want         string
	}{
		{changes.Change{Topic: toolsTopic}, ``, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`},
		{changes.Change{Topic: promptsTopic}, ``, `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`},
		{changes.Change{Topic: resourcesTopic}, ``, `{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`},
		{
			changes.Change{Topic: contents, Key: "a://\"b\""}, ``,
			`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a://\"b\""}}`,
		},
		{
			changes.Change{Topic: toolsTopic}, `7`,
			`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7}}}`,
		},
		{
			changes.Change{Topic: contents, Key: "a://b"}, `"7"`,
			`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a://b","_meta":{"io.modelcontextprotocol/subscriptionId":"7"}}}`,
		},
	} {
		var subscription []byte
		if test.subscription != "" {
			subscription = []byte(test.subscription)
		}
		if got, err := test.change.AppendNotification(t.Context(), nil, subscription); err != nil || string(got) != test.want {
			t.Errorf("got  %s, %v\nwant %s", got, err, test.want)
		}
	}
}

func TestATopicAddsParamsAndHidesKeys(t *testing.T) {
	t.Parallel()
	failed := errors.New("no database")
	topic := &changes.Topic{
		Notification: "notifications/jobs", Filter: "jobs", Key: "job",
		Visible: func(_ context.Context, key string) bool { return key != "secret" },
		Params: func(_ context.Context, key string) ([]byte, error) {
			if key == "broken" {
				return nil, failed
			}
			return []byte(`{"state":"done","job":"another"}`), nil
		},
	}
	for key, want := range map[string]string{
		"a":      `{"jsonrpc":"2.0","method":"notifications/jobs","params":{"state":"done","job":"a","_meta":{"io.modelcontextprotocol/subscriptionId":7}}}`,
		"secret": "", "broken": "",
	} {
		got, err := changes.Change{Topic: topic, Key: key}.AppendNotification(t.Context(), nil, []byte("7"))
		if string(got) != want || (key == "broken") != errors.Is(err, failed) {
			t.Errorf("%s: got %s, %v, want %s", key, got, err, want)
		}
	}
}

func TestAFeedHasEachTopicOnce(t *testing.T) {
	t.Parallel()
	feed := changes.NewFeed(toolsTopic)
	jobs := &changes.Topic{Notification: "notifications/jobs", Filter: "jobs"}
	for _, test := range []struct {
		topic *changes.Topic
		added bool
	}{
		{jobs, true},
		{&changes.Topic{Notification: "notifications/jobs", Filter: "others"}, false},
		{&changes.Topic{Notification: "notifications/others", Filter: "toolsListChanged"}, false},
	} {
		if feed.Add(test.topic) != test.added {
			t.Errorf("%+v is added: %t", test.topic, !test.added)
		}
	}
	if got := feed.Topics(); !slices.Equal(got, []*changes.Topic{toolsTopic, jobs}) {
		t.Errorf("the topics are %+v", got)
	}
}
