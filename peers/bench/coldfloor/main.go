// Coldfloor is the floor of the cold start: a program that links net/http, answers one line, and
// exits.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "coldfloor:", err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) > 1 && os.Args[1] == "serve" { // never used, but keeps net/http linked
		return http.ListenAndServe("127.0.0.1:0", nil)
	}
	line, err := bufio.NewReader(os.Stdin).ReadBytes('\n')
	if err != nil {
		return err
	}
	var call struct {
		ID     json.RawMessage `json:"id"`
		Params struct {
			Arguments struct {
				Message string `json:"message"`
			} `json:"arguments"`
		} `json:"params"`
	}
	if err := json.Unmarshal(line, &call); err != nil {
		return err
	}
	reply, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": call.ID, "result": map[string]any{
		"resultType": "complete",
		"content":    []map[string]string{{"type": "text", "text": call.Params.Arguments.Message}},
	}})
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(append(reply, '\n'))
	return err
}
