package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/bowline-mcp/bowline/internal/eventstream"
)

// Frames returns the JSON messages of a reply body: the data of each event of an SSE stream, or the body itself.
func Frames(body []byte) [][]byte {
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
		return [][]byte{bytes.TrimSpace(body)}
	}
	return slices.Collect(eventstream.NewReader(bytes.NewReader(body), len(body)).Messages())
}

// CheckCall returns an error unless the message is a correct answer to a call of the echo tool: with
// the same id, no error, the output as structured content, and the same output as text.
func CheckCall(message []byte, id int) error {
	result, err := resultOf(message, id)
	if err != nil {
		return err
	}
	if result.IsError {
		return fmt.Errorf("the tool failed: %s", message)
	}
	want := Echo(sample())
	if !reflect.DeepEqual(result.StructuredContent, want) {
		return fmt.Errorf("structuredContent is not the echo: %s", message)
	}
	if len(result.Content) != 1 {
		return fmt.Errorf("%d content blocks, want the text mirror only: %s", len(result.Content), message)
	}
	var mirror EchoOut
	if err := json.Unmarshal([]byte(result.Content[0].Text), &mirror); err != nil || !reflect.DeepEqual(mirror, want) {
		return fmt.Errorf("the text does not mirror the structured content: %s", message)
	}
	return nil
}

// CheckList returns an error unless the message lists all tools in one page, each with both schemas.
func CheckList(message []byte, id int) error {
	result, err := resultOf(message, id)
	if err != nil {
		return err
	}
	if len(result.Tools) != Tools || result.NextCursor != "" {
		return fmt.Errorf("%d tools and next cursor %q, want %d tools in one page", len(result.Tools), result.NextCursor, Tools)
	}
	for _, tool := range result.Tools {
		if len(tool.InputSchema) == 0 || len(tool.OutputSchema) == 0 {
			return fmt.Errorf("tool %s lacks a schema", tool.Name)
		}
	}
	return nil
}

// CheckStream returns an error unless the frames are the notifications in order, then the result.
func CheckStream(frames [][]byte, id int) error {
	if len(frames) != Notifications+1 {
		return fmt.Errorf("%d frames, want %d notifications and a result", len(frames), Notifications)
	}
	for i, frame := range frames[:Notifications] {
		var notification struct {
			Method string `json:"method"`
			Params struct {
				Progress float64 `json:"progress"`
			} `json:"params"`
		}
		if err := json.Unmarshal(frame, &notification); err != nil {
			return fmt.Errorf("frame %d is not JSON: %w", i, err)
		}
		if notification.Method != "notifications/progress" || notification.Params.Progress != float64(i+1) {
			return fmt.Errorf("frame %d is not progress %d: %s", i, i+1, frame)
		}
	}
	result, err := resultOf(frames[Notifications], id)
	if err == nil && result.IsError {
		err = fmt.Errorf("the tool failed: %s", frames[Notifications])
	}
	return err
}

type reply struct {
	ID     *int            `json:"id"`
	Error  json.RawMessage `json:"error"`
	Result *result         `json:"result"`
}

type result struct {
	IsError           bool    `json:"isError"`
	StructuredContent EchoOut `json:"structuredContent"`
	Content           []struct {
		Text string `json:"text"`
	} `json:"content"`
	NextCursor string `json:"nextCursor"`
	Tools      []struct {
		Name         string          `json:"name"`
		InputSchema  json.RawMessage `json:"inputSchema"`
		OutputSchema json.RawMessage `json:"outputSchema"`
	} `json:"tools"`
}

func resultOf(message []byte, id int) (*result, error) {
	var reply reply
	if err := json.Unmarshal(message, &reply); err != nil {
		return nil, fmt.Errorf("the reply is not JSON: %w: %.200s", err, message)
	}
	if reply.Error != nil || reply.Result == nil {
		return nil, fmt.Errorf("the reply is an error: %.300s", message)
	}
	if reply.ID == nil || *reply.ID != id {
		return nil, fmt.Errorf("the reply is not for id %d: %.200s", id, message)
	}
	return reply.Result, nil
}
