// Package servernote defines the note that a running server keeps in its data folder.
//
// It knows the name and the form of the note, and neither the server that writes it nor
// the command line that reads it to find the server. The note contains no secret.
package servernote

// File is the name of the note in the data folder.
const File = "orth.json"

// Note describes a running server. TokenFile names the file with the API token, and
// CertFile the certificate of the server, empty without TLS: clients of the same machine
// trust it without an authority.
type Note struct {
	Address   string `json:"address"`
	TokenFile string `json:"token_file"`
	CertFile  string `json:"cert_file,omitempty"`
	PID       int    `json:"pid"`
}
