// Package content has the blocks that results are made of: text, images, audio,
// links to resources, and resources embedded whole. A block is a value; its
// methods return a changed copy, so that
//
//	content.Text("42").For(content.User).Priority(0.9)
//
// reads in one line.
package content
