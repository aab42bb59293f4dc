// Package retry tries again what fails for a moment, such as a call of another
// service:
//
//	err := retry.Do(ctx, func(ctx context.Context) error {
//		var err error
//		page, err = t.Pages.Fetch(ctx, id)
//		if errors.Is(err, pages.ErrUnknown) {
//			return retry.Permanent(err)
//		}
//		return err
//	})
//
// It is for what a handler calls, and only for what may safely happen twice. A call of
// a tool is never repeated by the framework: that is the client's to decide.
package retry
