package tools

// Confirmed is embedded beside [Tool] by a tool that runs only when the user has
// agreed:
//
//	type DeletePageTool struct {
//		tools.Tool
//		tools.Confirmed
//		annotations.IsDestructive
//	}
//
//	func (*DeletePageTool) Confirmation(request *tools.Request) string {
//		return "Delete page " + request.String("pageId") + "? This can't be undone."
//	}
//
// A call first asks the user through the client, by the key "confirmed", whatever the
// model has sent. Handle runs once the user has accepted. If the user hasn't, the model
// gets
//
//	{"status":"declined","message":"…"}
//
// as structured content. A client that can't be asked gets
//
//	{"status":"confirmation_required","message":"…"}
//
// whose message tells the model to ask the user and to call again with the argument
// confirmed set to true, which Confirmed adds to the tool's schema. That argument is the
// model's word for the user's, and counts only there: a client that can be asked is
// asked. A tool with an output schema gives the message as an error of the tool instead.
type Confirmed struct{}

// Confirmation is what the user is asked, such as "Delete page 7?". The default, "",
// names the tool's title and all arguments, with texts cut at 200 characters. If that
// is more than a person reads, 4000 characters, the call is refused.
func (Confirmed) Confirmation(request *Request) string { return "" }
