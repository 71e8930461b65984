package intent

import "context"

type addressKey struct{}

// WithAddress returns a context that says where a request came from, without the port:
// for doors that make their intents far from where they got the request.
func WithAddress(ctx context.Context, address string) context.Context {
	return context.WithValue(ctx, addressKey{}, address)
}

// Address returns where a request came from; empty when the context does not say.
func Address(ctx context.Context) string {
	text, _ := ctx.Value(addressKey{}).(string)
	return text
}
