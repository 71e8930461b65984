package rpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Codes of nodes' errors that mean something to us. The rest are what JSON-RPC defines, or the node's own.
const (
	codeInvalidParams    = -32602
	codeBlockGone        = -32001
	codePreflight        = -32002 // the transaction would fail; Data holds the reason
	codeSignature        = -32003
	codeBlockNotYet      = -32004
	codeNodeBehind       = -32005
	codeSlotSkipped      = -32007
	codeNoSnapshot       = -32008
	codeMinContextSlot   = -32016 // this node has not come to the slot asked for
	codeStatusNotYet     = -32014
	codeUnknownMethod    = -32601
	codeInternal         = -32603
	codeTooManyRequests  = -32429
	codeTooMany          = 429 // HTTP's status, which some nodes return as their own code
	codeServerOverloaded = -32097
)

// Error is what a node answered in place of a result.
type Error struct {
	Endpoint string // its name, never its address
	Method   string
	Code     int
	Message  string
	Data     json.RawMessage
}

// Error returns the whole error except Data.
func (e *Error) Error() string {
	return fmt.Sprintf("%s: %s answered %d: %s", e.Method, e.Endpoint, e.Code, e.Message)
}

// transient reports whether another node, or this one a little later, may well answer otherwise.
func (e *Error) transient() bool {
	switch e.Code {
	case codeBlockNotYet, codeNodeBehind, codeMinContextSlot, codeStatusNotYet, codeInternal, codeTooManyRequests, codeTooMany, codeServerOverloaded,
		codeNoSnapshot, codeBlockGone, codeSlotSkipped:
		return true
	default:
		return false
	}
}

// aboutRequest reports whether it is the request that is refused, and not the node that cannot answer.
func (e *Error) aboutRequest() bool {
	return e.Code == codePreflight || e.Code == codeInvalidParams || e.Code == codeSignature
}

// UnreachableError is that a node gave no answer that could be understood: no connection, no time, or an error of HTTP.
type UnreachableError struct {
	Endpoint string // its name, never its address
	Method   string
	Status   int // of HTTP; 0: none came
	// After is the pause that the node asks for; 0: it names none.
	After time.Duration
	Err   error
}

// Error describes the failure, without the address.
func (e *UnreachableError) Error() string {
	switch {
	case e.Status == 0:
		return fmt.Sprintf("%s: %s: %v", e.Method, e.Endpoint, e.Err)
	case e.Err != nil:
		return fmt.Sprintf("%s: %s answered HTTP %d, %v", e.Method, e.Endpoint, e.Status, e.Err)
	default:
		return fmt.Sprintf("%s: %s answered HTTP %d", e.Method, e.Endpoint, e.Status)
	}
}

// Unwrap returns the cause.
func (e *UnreachableError) Unwrap() error { return e.Err }

// IsTransient reports whether the same request may well succeed later or elsewhere: the node was away, overloaded or behind.
func IsTransient(err error) bool {
	if answered, ok := errors.AsType[*Error](err); ok {
		return answered.transient()
	}
	_, away := errors.AsType[*UnreachableError](err)
	return away
}

// Rejected returns how the transaction would have failed that a node has refused to send on, and its log lines.
func Rejected(err error) (*TxError, []string, bool) {
	answered, ok := errors.AsType[*Error](err)
	if !ok || answered.Code != codePreflight {
		return nil, nil, false
	}
	var data struct {
		Err  *TxError `json:"err"`
		Logs []string `json:"logs"`
	}
	if json.Unmarshal(answered.Data, &data) == nil && data.Err != nil {
		return data.Err, data.Logs, true
	}
	return nil, nil, false
}

// IsInvalid reports whether no node would ever take the transaction that a request was about: its form is wrong, or a signature.
func IsInvalid(err error) bool {
	answered, ok := errors.AsType[*Error](err)
	return ok && (answered.Method == methodSend || answered.Method == methodSimulate) && (answered.Code == codeInvalidParams || answered.Code == codeSignature)
}

// IsUnknownMethod reports whether the node has no such method.
func IsUnknownMethod(err error) bool {
	answered, ok := errors.AsType[*Error](err)
	return ok && answered.Code == codeUnknownMethod
}
