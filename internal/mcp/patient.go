package mcp

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// listening begins the methods of questions that stay open until the end.
const listening = "subscriptions/"

// patient is a transport whose input ends only when what was asked has been answered:
// the end of the input must not break off a change that is under way.
type patient struct {
	sdk.Transport
	enough <-chan struct{} // its end ends the waiting
}

// Connect connects the transport within.
func (p patient) Connect(ctx context.Context) (sdk.Connection, error) {
	within, err := p.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &patientConnection{Connection: within, enough: p.enough, settled: make(chan struct{}, 1), open: map[jsonrpc.ID]bool{}}, nil
}

// patientConnection counts what was asked and not yet answered.
type patientConnection struct {
	sdk.Connection
	enough  <-chan struct{}
	settled chan struct{} // gets a value when the last question was answered

	mu   sync.Mutex
	open map[jsonrpc.ID]bool
}

// Read returns the next message. The end of the input, or an error of it, comes when
// nothing is open any more, at the latest when no call can take longer.
func (p *patientConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	message, err := p.Connection.Read(ctx)
	if err == nil {
		if asked, is := message.(*jsonrpc.Request); is && asked.IsCall() && !strings.HasPrefix(asked.Method, listening) {
			p.mu.Lock()
			p.open[asked.ID] = true
			p.mu.Unlock()
		}
		return message, nil
	}
	limit := time.NewTimer(answersFor)
	defer limit.Stop()
	for !p.isIdle() {
		select {
		case <-p.settled:
		case <-limit.C:
			return message, err
		case <-p.enough:
			return message, err
		case <-ctx.Done():
			return message, err
		}
	}
	return message, err
}

// Write sends a message.
func (p *patientConnection) Write(ctx context.Context, message jsonrpc.Message) error {
	err := p.Connection.Write(ctx, message)
	if answered, is := message.(*jsonrpc.Response); is {
		p.answered(answered.ID)
	}
	return err
}

// answered notes that a question was answered, or could not be.
func (p *patientConnection) answered(id jsonrpc.ID) {
	p.mu.Lock()
	delete(p.open, id)
	settled := len(p.open) == 0
	p.mu.Unlock()
	if settled {
		select {
		case p.settled <- struct{}{}:
		default:
		}
	}
}

func (p *patientConnection) isIdle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.open) == 0
}
