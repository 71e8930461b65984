package intent

import "context"

type addressKey struct{}

// WithAddress returns a context with the address that a request came from, without the
// port: for endpoints that create their intents far from where they received the request.
func WithAddress(ctx context.Context, address string) context.Context {
	return context.WithValue(ctx, addressKey{}, address)
}

// Address returns the address that a request came from; empty when the context has none.
func Address(ctx context.Context) string {
	text, _ := ctx.Value(addressKey{}).(string)
	return text
}
