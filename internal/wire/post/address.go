package post

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/orthd/orth/job"
)

// maxAddress is the bytes of an executor's base URL.
const maxAddress = 512

// ParseAddress reads a base URL as peers register it: absolute, http or https,
// with a host, without user, query or fragment, with or without a path and a
// slash at the end. Errors are Invalid and do not quote a password.
func ParseAddress(address string) (*url.URL, error) {
	if len(address) > maxAddress {
		return nil, job.Errorf(job.Invalid, "the address has %d bytes, at most %d are allowed", len(address), maxAddress)
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, job.Errorf(job.Invalid, "the address is no URL")
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, job.Errorf(job.Invalid, "the address must begin with http:// or https://")
	case u.Hostname() == "":
		return nil, job.Errorf(job.Invalid, "the address has no host")
	case u.User != nil:
		return nil, job.Errorf(job.Invalid, "the address must not hold a user or a password")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.HasSuffix(address, "#"):
		return nil, job.Errorf(job.Invalid, "the address must not have a query or a fragment")
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return nil, job.Errorf(job.Invalid, "port %s is not from 1 to 65535", port)
		}
	}
	return u, nil
}

// Endpoint returns the URL of path below the base URL address.
func Endpoint(address, path string) (*url.URL, error) {
	u, err := ParseAddress(address)
	if err != nil {
		return nil, err
	}
	u.Path = strings.TrimRight(u.Path, "/") + path
	if u.RawPath != "" {
		u.RawPath = strings.TrimRight(u.RawPath, "/") + path
	}
	return u, nil
}

// CleanPath returns a request path with one slash in front, none doubled and none at
// the end: peers join base URLs and paths in many ways. An empty path stays empty.
// A clean path is returned as it is, without an allocation.
func CleanPath(path string) string {
	if isClean(path) {
		return path
	}
	clean := make([]byte, 0, len(path)+1)
	for segment := range strings.SplitSeq(path, "/") {
		if segment != "" {
			clean = append(append(clean, '/'), segment...)
		}
	}
	if len(clean) == 0 {
		return "/"
	}
	return string(clean)
}

func isClean(path string) bool {
	return path == "" || path == "/" ||
		path[0] == '/' && path[len(path)-1] != '/' && !strings.Contains(path, "//")
}
