package resources

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"reflect"
	"slices"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/internal/engine/declaration"
)

// Wrap makes a result from any value:
//
//	a Result                                     itself
//	a string                                     [Text]
//	[]byte                                       [Blob]
//	an fs.File, such as an *os.File              as [File], closed
//	any other io.Reader                          [Reader]
//	content.Resource, []content.Resource         [Contents]
//	a content.Block that embeds a resource       its contents
//	a map with "blob", in base64, or "text"      those contents
//	a list with one of the last three in it      item by item
//	anything else                                [JSON]
//
// A map with "blob" or "text" may also have the keys "uri", "mimeType", "name", "title"
// and "_meta". A map with any other key is data, sent as [JSON]. Nil is an error.
func Wrap(v any) (Result, error) {
	result, err := wrap(v)
	if err != nil {
		return nil, err
	}
	return result, nil
}

func wrap(v any) (*ReadResult, error) {
	switch v := v.(type) {
	case nil:
		return nil, declaration.ErrNoContents
	case *ReadResult:
		if v == nil {
			return nil, declaration.ErrNoContents
		}
		return v, nil
	case string:
		return Text(v), nil
	case []byte:
		return Blob(v), nil
	case content.Resource:
		return Contents(v), nil
	case []content.Resource:
		return Contents(v...), nil
	case content.Block:
		if v.Resource == nil {
			return nil, fmt.Errorf("a block of type %q has no resource; return resources.Text or resources.Blob", v.Type)
		}
		return Contents(*v.Resource), nil
	case fs.File:
		info, err := v.Stat()
		if err != nil {
			_ = v.Close()
			return nil, err
		}
		return readFile(v, info.Name(), nil)
	case io.Reader:
		return Reader(v)
	}
	r := reflect.ValueOf(v)
	if r.Kind() == reflect.Pointer && r.IsNil() {
		return nil, declaration.ErrNoContents
	}
	if object := contentsMap(r); object != nil {
		return wrapMap(object)
	}
	if isMixed(r) {
		return wrapItems(r)
	}
	return JSON(v)
}

// contentsMap returns a map that describes contents, or nil for any other value.
func contentsMap(r reflect.Value) map[string]any {
	if r.Kind() != reflect.Map || r.Type().Key().Kind() != reflect.String {
		return nil
	}
	object := make(map[string]any, r.Len())
	for key, value := range r.Seq2() {
		if !slices.Contains([]string{"blob", "text", "uri", "mimeType", "name", "title", "_meta"}, key.String()) {
			return nil
		}
		object[key.String()] = value.Interface()
	}
	if object["blob"] == nil && object["text"] == nil {
		return nil
	}
	return object
}

func wrapMap(object map[string]any) (*ReadResult, error) {
	var contents content.Resource
	for key, field := range map[string]*string{
		"text": &contents.Text, "uri": &contents.URI, "mimeType": &contents.MIMEType, "name": &contents.Name, "title": &contents.Title,
	} {
		value := reflect.ValueOf(object[key])
		if value.IsValid() && value.Kind() != reflect.String {
			return nil, fmt.Errorf("the %q of contents must be a string, not %T", key, object[key])
		}
		if value.IsValid() {
			*field = value.String()
		}
	}
	meta, ok := object["_meta"].(map[string]any)
	if !ok && object["_meta"] != nil {
		return nil, fmt.Errorf("the \"_meta\" of contents must be a map of any values, not %T", object["_meta"])
	}
	contents.Meta = meta
	if object["blob"] == nil {
		return made(contents, ""), nil
	}
	contents.Text = "" // in other SDKs the blob wins
	switch blob := object["blob"].(type) {
	case []byte:
		contents.Blob = append([]byte{}, blob...) // never nil
	case string:
		decoded, err := content.DecodeBase64(blob)
		if err != nil {
			return nil, fmt.Errorf("the \"blob\" of contents: %w", err)
		}
		contents.Blob = decoded
	default:
		return nil, fmt.Errorf("the \"blob\" of contents must be a string in base64 or bytes, not %T", blob)
	}
	return made(contents, ""), nil
}

// isMixed reports whether a value is a list with contents in it.
func isMixed(r reflect.Value) bool {
	if r.Kind() != reflect.Slice && r.Kind() != reflect.Array {
		return false
	}
	for i := range r.Len() {
		switch item := r.Index(i).Interface().(type) {
		case *ReadResult, content.Resource, content.Block:
			return true
		default:
			if contentsMap(reflect.ValueOf(item)) != nil {
				return true
			}
		}
	}
	return false
}

// wrapItems wraps a list of contents and other values, in order.
func wrapItems(list reflect.Value) (*ReadResult, error) {
	all := &ReadResult{}
	for i := range list.Len() {
		item, err := wrap(list.Index(i).Interface())
		if err == nil && item.Meta != nil {
			err = errors.New("a result with metadata can't be one of several contents; set the metadata of the whole result")
		}
		if err != nil {
			return nil, fmt.Errorf("item %d: %w", i+1, err)
		}
		for j := range item.Contents {
			all.origins = append(all.origins, declaration.OriginOf(item, j))
		}
		all.Contents = append(all.Contents, item.Contents...)
	}
	return all, nil
}
