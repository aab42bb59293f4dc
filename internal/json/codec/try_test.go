package codec_test

import (
	"errors"
	"net/netip"
	"reflect"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/json/codec"
)

type (
	tree struct {
		Name  string          `json:"name"`
		Trees []tree          `json:"trees"`
		Left  *tree           `json:"left"`
		ByKey map[string]tree `json:"byKey"`
		Deep  [][]*tree       `json:"deep"`
	}
	nest      []nest
	unwritten struct{ A int }
	panics    struct{ A int }
	pointer   *pointer
)

func (unwritten) MarshalJSON() ([]byte, error) { return nil, errors.New("it has no value") }
func (*unwritten) UnmarshalJSON([]byte) error  { return errors.New("never") }
func (panics) MarshalText() ([]byte, error)    { panic("zero") }
func (*panics) UnmarshalText([]byte) error     { panic("zero") }

func TestAFilledValueHasAllFields(t *testing.T) {
	t.Parallel()
	type Embedded struct{ E bool }
	type in struct {
		Embedded
		hidden
		Text  string                `json:"text"`
		N     int8                  `json:"n"`
		U     *uint64               `json:"u"`
		F     float32               `json:"f"`
		List  []map[string][2]int   `json:"list"`
		Data  []byte                `json:"data"`
		Any   any                   `json:"any"`
		At    time.Time             `json:"at"`
		Wait  time.Duration         `json:"wait"`
		Addr  *netip.Addr           `json:"addr"`
		Out   string                `json:"-"`
		Tree  tree                  `json:"tree"`
		Nest  nest                  `json:"nest"`
		ByAge map[uint8]**time.Time `json:"byAge"`
		own   int
	}
	value := codec.Filled(reflect.TypeFor[in]()).Interface().(*in)
	got, err := codec.Marshal(value)
	want := `{"E":true,"H":1,"text":"a","n":1,"u":1,"f":1,"list":[{"a":[1,1]}],"data":"AQ==","any":"a","at":"0001-01-01T00:00:00Z","wait":1,"addr":"",` +
		`"tree":{"name":"a","trees":[],"left":null,"byKey":{},"deep":[[]]},"nest":[],"byAge":{"1":"0001-01-01T00:00:00Z"}}`
	if err != nil || string(got) != want || value.Out != "" || value.own != 0 {
		t.Errorf("got\n%s, %v\nwant\n%s", got, err, want)
	}
}

func TestALargeValueIsFilledInPart(t *testing.T) {
	t.Parallel()
	filled := 0
	for _, n := range codec.Filled(reflect.TypeFor[[2000]int]()).Elem().Interface().([2000]int) {
		filled += n
	}
	if filled != 999 {
		t.Errorf("%d items are set", filled)
	}
}

func TestTheCodecIsTried(t *testing.T) {
	t.Parallel()
	for want, of := range map[string]reflect.Type{
		"the field C of struct { C chan int } can't be encoded and decoded; leave it out with json:\"-\", or change its type": reflect.TypeFor[struct{ C chan int }](),
		"func() can't be encoded and decoded; leave it out with json:\"-\", or change its type":                               reflect.TypeFor[func()](),
		`the tag json:"b, omitempty" of the field B of struct { B int "json:\"b, omitempty\"" } has a blank beside the option omitempty; write json:"b,omitempty"`: reflect.TypeFor[struct {
			A []struct {
				B int `json:"b, omitempty"`
			}
		}](),
	} {
		if err := codec.Try(of); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", of, err, want)
		}
	}
	for _, of := range []reflect.Type{
		reflect.TypeFor[tree](), reflect.TypeFor[nest](), reflect.TypeFor[struct{ A unwritten }](), reflect.TypeFor[struct{ A []panics }](),
		reflect.TypeFor[struct{ A oneWay }](), reflect.TypeFor[struct{ A []readsText }](), reflect.TypeFor[struct{ E error }](), reflect.TypeFor[deep2](),
		reflect.TypeFor[map[string]any](), reflect.TypeFor[any](),
	} {
		if err := codec.Try(of); err != nil {
			t.Errorf("%s: %v", of, err)
		}
	}
	if got := codec.Elem(reflect.TypeFor[pointer]()).Kind(); got != reflect.Pointer {
		t.Errorf("a pointer to itself leads to %s", got)
	}
}
