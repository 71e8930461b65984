package xxl

import "github.com/orthd/orth/internal/wire/jsontext"

// scanner reads the messages of this dialect.
type scanner struct{ jsontext.Scanner }

// scan returns a scanner at the beginning of a message.
func scan(src []byte) scanner { return scanner{jsontext.New(src)} }
