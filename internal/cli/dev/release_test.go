package dev_test

import (
	"path/filepath"
	"testing"
)

// A program that another one has replaced ends with its last call, and leaves the file stopped.
func TestAReplacedProgramEndsWithItsLastCall(t *testing.T) {
	t.Parallel()
	for over, connect := range map[string]func(*app) connection{"HTTP": overHTTP, "stdio": onStdio} {
		t.Run("over "+over, func(t *testing.T) {
			t.Parallel()
			t.Run("that was answered", func(t *testing.T) {
				t.Parallel()
				a := newApp(t)
				c := connect(a)
				answer := a.begin(c)
				a.greet("two")
				c.awaitSwitch()
				a.write("go on", "")
				contains(t, <-answer, `"id":1`, `"text":"one"`)
				a.awaitFile("stopped")
			})
			t.Run("that was cancelled", func(t *testing.T) {
				t.Parallel()
				a := newApp(t)
				c := connect(a)
				a.begin(c)
				a.greet("two")
				c.awaitSwitch()
				c.notify(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
				a.awaitFile("stopped")
			})
			t.Run("before", func(t *testing.T) {
				t.Parallel()
				a := newApp(t)
				c := connect(a)
				a.write("go on", "")
				contains(t, <-a.begin(c), `"id":1`, `"text":"one"`)
				a.greet("two")
				c.awaitSwitch()
				a.awaitFile("stopped")
			})
		})
	}
}

// A connection is one of a client of 2025-11-25.
type connection struct {
	call        func(message string) (answer <-chan string)
	notify      func(message string)
	awaitSwitch func()
}

func overHTTP(a *app) connection {
	url := a.serve()
	session := initialize(a.t, url)
	return connection{
		call: func(message string) <-chan string {
			answer := make(chan string, 1)
			go func() { answer <- text(a.t, url, session, message) }()
			return answer
		},
		notify:      func(message string) { text(a.t, url, session, message) },
		awaitSwitch: func() { a.awaitLog("mcp: reloaded", 1) },
	}
}

func onStdio(a *app) connection {
	p := a.relay()
	p.initialize()
	return connection{
		call: func(message string) <-chan string {
			p.send(message)
			return p.messages
		},
		notify:      p.send,
		awaitSwitch: func() { contains(a.t, next(a.t, p.messages), "notifications/tools/list_changed") },
	}
}

// begin begins a call that ends when there is a file called go on.
func (a *app) begin(c connection) (answer <-chan string) {
	a.t.Helper()
	answer = c.call(older("1", "tools/call", toolCall("wait", `"file":"`+filepath.Join(a.root, "go on")+`"`)))
	a.awaitFile("waiting")
	return answer
}
