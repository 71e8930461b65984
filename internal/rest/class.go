package rest

// class is a kind of requests that are counted together, for each credential.
type class int

// The classes of requests.
const (
	reading class = iota
	writing
	// searching reads much to answer little.
	searching
	// streaming lasts.
	streaming
	// signing tries a password or a code.
	signing
	// strange comes without a good credential.
	strange
)
