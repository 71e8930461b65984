package cli

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/orthd/orth/solana/rpc"
)

// mostEndpoints bounds the nodes that are asked.
const mostEndpoints = 16

// endpoint is a node of the settings.
type endpoint struct {
	URL   string
	WS    string // empty: made of URL
	Role  string
	Rate  float64
	Burst int
}

// Roles of nodes.
const (
	roleEverything = "everything"
	roleReading    = "reading"
	roleSubmitting = "submitting"
)

// poolRole is the role as the pool has it.
func (e *endpoint) poolRole() rpc.Role {
	switch e.Role {
	case roleReading:
		return rpc.Reading
	case roleSubmitting:
		return rpc.Submitting
	}
	return rpc.Everything
}

// reads reports whether the node is asked for what is on the chain.
func (e *endpoint) reads() bool { return e.poolRole()&rpc.Reading != 0 }

// hostName is as much of the address as may be shown.
func (e *endpoint) hostName() string { return hostOf(e.URL) }

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "a node"
	}
	return u.Host
}

// websocket is where the node takes subscriptions: under the same address with the other scheme and, where a port is named, at the
// next one, as validators have it.
func (e *endpoint) websocket() string {
	if e.WS != "" {
		return e.WS
	}
	u, err := url.Parse(e.URL)
	if err != nil { // It was looked at before.
		return e.URL
	}
	u.Scheme = "ws" + strings.TrimPrefix(u.Scheme, "http")
	if port, err := strconv.Atoi(u.Port()); err == nil { // A validator's own port: the next one is for subscriptions.
		u.Host = net.JoinHostPort(u.Hostname(), strconv.Itoa(port+1))
	}
	return u.String()
}

// setOption takes an option of the node. Errors never repeat an address, which may hold a key.
func (e *endpoint) setOption(name, value string) (err error) {
	switch name {
	case "url":
		e.URL, err = value, checkAddress(value, "http", "https")
	case "ws":
		e.WS, err = value, checkAddress(value, "ws", "wss")
	case "role":
		e.Role = value
		if !slices.Contains([]string{roleEverything, roleReading, roleSubmitting}, value) {
			err = fmt.Errorf("%q is no role: use everything, reading or submitting", value)
		}
	case "rate":
		if e.Rate, err = strconv.ParseFloat(value, 64); err != nil || !(e.Rate > 0 && e.Rate <= 100_000) {
			err = fmt.Errorf("%q is no number of requests a second, above 0 and up to 100000", value)
		}
	case "burst":
		if e.Burst, err = strconv.Atoi(value); err != nil || e.Burst < 1 || e.Burst > 100_000 {
			err = fmt.Errorf("%q is no number of requests at once, 1 to 100000", value)
		}
	default:
		return fmt.Errorf("%q is no option of a node: the options are url, ws, role, rate, burst", name)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func checkAddress(text string, schemes ...string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || !slices.Contains(schemes, u.Scheme) {
		return fmt.Errorf("a node's address begins with %s:// and has a host", strings.Join(schemes, ":// or "))
	}
	return nil
}

// whole checks that the node has what every one needs.
func (e *endpoint) whole() error {
	if e.URL == "" {
		return errors.New("a node has no url")
	}
	if e.Role == "" {
		e.Role = roleEverything
	}
	return nil
}

// parseEndpoint reads the form of flags: URL;ws=URL;role=reading.
func parseEndpoint(text string) (e endpoint, err error) {
	address, options, _ := strings.Cut(strings.TrimSpace(text), ";")
	if err := e.setOption("url", address); err != nil {
		return e, err
	}
	for option := range strings.SplitSeq(options, ";") {
		if option == "" {
			continue
		}
		name, value, given := strings.Cut(option, "=")
		if !given {
			return e, errors.New("an option of a node is written name=value")
		}
		if err := e.setOption(name, value); err != nil {
			return e, err
		}
	}
	err = e.whole()
	return e, err
}

// endpointList is the nodes as a flag.
type endpointList struct{ list []endpoint }

// String returns the hosts alone: addresses hold keys.
func (l *endpointList) String() string {
	hosts := make([]string, len(l.list))
	for i := range l.list {
		hosts[i] = l.list[i].hostName()
	}
	return strings.Join(hosts, ",")
}

// Set replaces the list by what a comma parts.
func (l *endpointList) Set(text string) error {
	var list []endpoint
	for part := range strings.SplitSeq(text, ",") {
		e, err := parseEndpoint(part)
		if err != nil {
			return fmt.Errorf("node %d: %w", len(list)+1, err)
		}
		list = append(list, e)
	}
	return l.replace(list)
}

// replace replaces the list.
func (l *endpointList) replace(list []endpoint) error {
	if len(list) > mostEndpoints {
		return fmt.Errorf("%d nodes are too many: %d are possible", len(list), mostEndpoints)
	}
	can := rpc.Role(0)
	for i := range list {
		can |= list[i].poolRole()
	}
	switch {
	case can&rpc.Reading == 0:
		return errors.New("no node may be asked what is on the chain: give one the role everything or reading")
	case can&rpc.Submitting == 0:
		return errors.New("no node may be given transactions: give one the role everything or submitting")
	}
	l.list = list
	return nil
}

// Type is the kind of value, for help.
func (l *endpointList) Type() string { return "URLs" }

// Confidential implements [output.Confidential]: addresses hold keys of their owners.
func (l *endpointList) Confidential() {}
