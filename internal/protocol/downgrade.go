package protocol

import (
	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/jsonrpc"
)

// This file cuts the newest shapes down to what an older version knows. Old
// clients ignore most of what they don't know, but not all of it: one output
// schema that isn't an object makes some refuse a whole list.

// downgradeTool returns a tool's definition as a version knows it.
func downgradeTool(definition []byte, v Version) []byte {
	if v.Modern() {
		return definition
	}
	o := parseObject(definition)
	if !isObjectSchema(o.get("outputSchema")) || v < Version20250618 {
		o.drop("outputSchema")
	}
	if v < Version20251125 {
		o.drop("icons")
	}
	if v < Version20250618 {
		if title := o.get("title"); title != nil && v >= Version20250326 {
			annotations := parseObject(o.get("annotations"))
			annotations.set("title", title)
			o.set("annotations", annotations.append(nil))
		}
		o.drop("title", "_meta")
	}
	if v < Version20250326 {
		o.drop("annotations")
	}
	return o.append(nil)
}

func isObjectSchema(schema []byte) bool {
	kind, _ := jsonrpc.Text(lookup(schema, []string{"type"}))
	return string(kind) == "object"
}

// downgradeInfo returns an Implementation as a version knows it.
func downgradeInfo(info []byte, v Version) []byte {
	o := parseObject(info)
	if v < Version20251125 {
		o.drop("description", "websiteUrl", "icons")
	}
	if v < Version20250618 {
		o.drop("title")
	}
	return o.append(nil)
}

// downgradeBlock returns a content block as a version before 2025-11-25 knows it.
func downgradeBlock(block []byte, v Version) []byte {
	o := parseObject(block)
	o.drop("icons") // of a link
	if v >= Version20250618 {
		return o.append(nil)
	}
	kind, _ := jsonrpc.Text(o.get("type"))
	switch string(kind) {
	case "resource_link":
		uri, _ := codec.Unquote(o.get("uri"))
		return textBlock(uri).AppendJSON(nil)
	case "audio":
		if v < Version20250326 {
			mime, _ := codec.Unquote(o.get("mimeType"))
			return textBlock("[audio of type " + mime + ", which this protocol version can't carry]").AppendJSON(nil)
		}
	case "resource":
		resource := parseObject(o.get("resource"))
		resource.drop("_meta")
		o.set("resource", resource.append(nil))
	}
	o.drop("_meta")
	if annotations := parseObject(o.get("annotations")); annotations != nil {
		annotations.drop("lastModified")
		o.set("annotations", annotations.append(nil))
	}
	return o.append(nil)
}

// downgradeItem returns the definition of a resource, template or prompt as a
// version knows it.
func downgradeItem(definition []byte, v Version) []byte {
	if v >= Version20251125 {
		return definition
	}
	o := parseObject(definition)
	o.drop("icons")
	if v < Version20250618 {
		o.drop("title", "_meta")
		if annotations := parseObject(o.get("annotations")); annotations != nil {
			annotations.drop("lastModified")
			o.set("annotations", annotations.append(nil))
		}
		if arguments := parseArray(o.get("arguments")); arguments != nil {
			for i := range arguments {
				argument := parseObject(arguments[i])
				argument.drop("title")
				arguments[i] = argument.append(nil)
			}
			o.set("arguments", appendArray(nil, arguments))
		}
	}
	return o.append(nil)
}

// downgradeResult cuts the blocks in the result of resources/read or prompts/get
// down to what a version before 2025-11-25 knows.
func downgradeResult(o *object, v Version) {
	if v >= Version20251125 {
		return
	}
	if contents := parseArray(o.get("contents")); contents != nil && v < Version20250618 {
		for i := range contents {
			content := parseObject(contents[i])
			content.drop("_meta")
			contents[i] = content.append(nil)
		}
		o.set("contents", appendArray(nil, contents))
	}
	if messages := parseArray(o.get("messages")); messages != nil {
		for i := range messages {
			message := parseObject(messages[i])
			message.set("content", downgradeBlock(message.get("content"), v))
			messages[i] = message.append(nil)
		}
		o.set("messages", appendArray(nil, messages))
	}
}
