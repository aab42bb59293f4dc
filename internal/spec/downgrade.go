package spec

import (
	"bytes"

	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

// The functions below remove members that an older version doesn't define. Older clients
// ignore most unknown members, but not all: some refuse a whole list because one output
// schema isn't an object, or has a keyword that their schema compiler doesn't support.

// DowngradeTool returns a tool's definition in the shape of a version.
func DowngradeTool(definition []byte, v Version) []byte {
	if v.Modern() {
		return definition
	}
	o := ParseObject(definition)
	for i, m := range o {
		if (m.Name == "inputSchema" || m.Name == "outputSchema") && bytes.Contains(m.Value, []byte(headerKeyword)) {
			o[i].Value = withoutHeaders(m.Value)
		}
	}
	if !isObjectSchema(o.Get("outputSchema")) || v < Version20250618 {
		o.Drop("outputSchema")
	}
	if v < Version20251125 {
		o.Drop("icons")
	}
	if v < Version20250618 {
		if title := o.Get("title"); title != nil && v >= Version20250326 {
			annotations := ParseObject(o.Get("annotations"))
			annotations.Set("title", title)
			o.Set("annotations", annotations.Append(nil))
		}
		o.Drop("title", "_meta")
	}
	if v < Version20250326 {
		o.Drop("annotations")
	}
	return o.Append(nil)
}

// headerKeyword is the keyword of 2026-07-28 for a property that clients mirror into a header.
const headerKeyword = "x-mcp-header"

// withoutHeaders returns a schema without the header keyword, which is allowed only on
// properties of the schema and of nested objects.
func withoutHeaders(schema []byte) []byte {
	o := ParseObject(schema)
	if o == nil {
		return schema
	}
	o.Drop(headerKeyword)
	properties := ParseObject(o.Get("properties"))
	for i := range properties {
		properties[i].Value = withoutHeaders(properties[i].Value)
	}
	if properties != nil {
		o.Set("properties", properties.Append(nil))
	}
	return o.Append(nil)
}

func isObjectSchema(schema []byte) bool {
	kind, _ := jsonrpc.Text(Lookup(schema, "type"))
	return string(kind) == "object"
}

// DowngradeInfo returns an Implementation in the shape of a version.
func DowngradeInfo(info []byte, v Version) []byte {
	o := ParseObject(info)
	if v < Version20251125 {
		o.Drop("description", "websiteUrl", "icons")
	}
	if v < Version20250618 {
		o.Drop("title")
	}
	return o.Append(nil)
}

// DowngradeItem returns the definition of a resource, template or prompt in the shape of
// a version.
func DowngradeItem(definition []byte, v Version) []byte {
	if v >= Version20251125 {
		return definition
	}
	o := ParseObject(definition)
	o.Drop("icons")
	if v < Version20250618 {
		o.Drop("title", "_meta")
		o.edit("annotations", func(annotations *Object) { annotations.Drop("lastModified") })
		o.editEach("arguments", func(argument *Object) { argument.Drop("title") })
	}
	return o.Append(nil)
}

// DowngradeResult converts the blocks in the result of resources/read or prompts/get to
// the shape of a version.
func DowngradeResult(o *Object, v Version) {
	if v < Version20250618 {
		o.editEach("contents", func(contents *Object) { contents.Drop("_meta") })
	}
	if v < NewestBlocks {
		o.editEach("messages", func(message *Object) { message.Set("content", DowngradeBlock(message.Get("content"), v)) })
	}
}
