package protocol

import (
	"math/big"
	"net/http"
	"net/textproto"
	"strings"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/fault"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// A ParamHeader binds an argument to a request header (the keyword x-mcp-header).
type ParamHeader struct {
	canonical string // Mcp-Param-Region, as net/http writes it
	path      []string
}

// NewParamHeader binds the argument at path, a list of property names, to the
// header Mcp-Param-name.
func NewParamHeader(name string, path []string) ParamHeader {
	return ParamHeader{textproto.CanonicalMIMEHeaderKey("Mcp-Param-" + name), path}
}

// check compares the header with the argument. A header without an argument is
// ignored.
func (p ParamHeader) check(h http.Header, arguments []byte) *exchange.Error {
	argument := spec.Lookup(arguments, p.path...)
	if argument == nil || jsonrpc.IsNull(argument) {
		return nil
	}
	value, once := header(h, p.canonical)
	if !once {
		return fault.HeaderMismatch("%s is given several times", p.canonical)
	}
	if len(h[p.canonical]) == 0 {
		return fault.HeaderMismatch("%s is missing, but the argument %q is set", p.canonical, strings.Join(p.path, "."))
	}
	if !visible(value) {
		return notEncoded(p.canonical)
	}
	if got, ok := decodeHeader(value); !ok || !sameValue(got, argument) {
		return fault.HeaderMismatch("%s is %.100q, which differs from the argument %q", p.canonical, value, strings.Join(p.path, "."))
	}
	return nil
}

// sameValue compares a header's text with a raw argument; numbers by their value.
func sameValue(text string, argument []byte) bool {
	if want, ok := jsonrpc.Text(argument); ok {
		return text == string(want)
	}
	if text == string(argument) {
		return true
	}
	// Short decimals only: an exponent can make a number of any size, and package big
	// accepts notations that proxies don't.
	if len(text) > 32 || len(argument) > 32 || !isDecimal(text) || !isDecimal(string(argument)) {
		return false
	}
	got, ok := new(big.Rat).SetString(text)
	want, wok := new(big.Rat).SetString(string(argument))
	return ok && wok && got.Cmp(want) == 0
}

func isDecimal(text string) bool {
	return text != "" && strings.Trim(text, "-.0123456789") == "" && text[len(text)-1] != '.'
}
