package dev

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/json/rawjson"
)

// Each program numbers its questions to clients before 2026-07-28 from 1. So that the
// answers reach the program that asked, even while two run, the client sees the id 3:17
// instead of the id 17 of the third program.

// marked returns a message of a program for the client. It marks the id of a question, and
// of a question that the program withdraws.
func marked(m *jsonrpc.Message, message []byte, generation int) []byte {
	switch {
	case m.Kind == jsonrpc.Request:
		return replaced(message, "id", quotedMark(m.ID, generation))
	case m.Kind == jsonrpc.Notification && string(m.Method) == "notifications/cancelled" && m.RequestID != nil:
		return replaced(message, "params", replaced(m.Params, "requestId", quotedMark(m.RequestID, generation)))
	}
	return message
}

// quotedMark returns the id of a question for the client.
func quotedMark(id []byte, generation int) []byte { return []byte(codec.Quote(mark(id, generation))) }

// mark returns an id of a program that names the program.
func mark(id []byte, generation int) string { return strconv.Itoa(generation) + ":" + string(id) }

// unmark returns the program that a client answers, and the id that this program knows. It
// reports false if the id isn't marked.
func unmark(id []byte) (generation int, original []byte, ok bool) {
	text, ok := codec.Unquote(id)
	if !ok {
		return 0, nil, false
	}
	generation, rest, ok := cutGeneration(text)
	return generation, []byte(rest), ok && codec.Valid([]byte(rest))
}

// cutGeneration cuts the number of its program from an id.
func cutGeneration(id string) (generation int, rest string, ok bool) {
	number, rest, ok := strings.Cut(id, ":")
	generation, err := strconv.Atoi(number)
	return generation, rest, ok && err == nil
}

// replaced returns a valid JSON object with another value for a member.
func replaced(object []byte, member string, value []byte) []byte {
	made := bytes.NewBufferString("{")
	for name, old := range rawjson.Members(object) {
		if made.Len() > 1 {
			made.WriteByte(',')
		}
		made.WriteString(codec.Quote(name))
		made.WriteByte(':')
		if name == member {
			old = value
		}
		made.Write(old)
	}
	made.WriteByte('}')
	return made.Bytes()
}
