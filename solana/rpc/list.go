package rpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/gagliardetto/solana-go"
)

// keyedList is an answer with very many accounts. It is read account by account: as a whole its text would take several times
// what they do.
type keyedList struct {
	all  []Keyed
	slot uint64
}

// errNoList is that an answer is none with a list of accounts.
var errNoList = errors.New("it is no list of accounts with a slot")

// readList reads an answer whose result is the list.
func (l *keyedList) readList(body io.Reader, told *response) error {
	*l = keyedList{}
	d := json.NewDecoder(body)
	found := false
	err := members(d, func(name string) error {
		switch name {
		case "id":
			return d.Decode(&told.ID)
		case "error":
			return d.Decode(&told.Error)
		case "result":
			found = true
			return l.result(d)
		default:
			return skipValue(d)
		}
	})
	switch {
	case err != nil:
		return err
	case !found && told.Error == nil:
		return errNoList
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more behind it")
	}
	return nil
}

// result reads the list with its context.
func (l *keyedList) result(d *json.Decoder) error {
	var context *struct {
		Slot uint64 `json:"slot"`
	}
	listed := false
	err := members(d, func(name string) error {
		switch name {
		case "context":
			return d.Decode(&context)
		case "value":
			listed = true
			return l.accounts(d)
		default:
			return skipValue(d)
		}
	})
	if err == nil && (context == nil || !listed) {
		err = errNoList
	}
	if err == nil {
		l.slot = context.Slot
	}
	return err
}

func (l *keyedList) accounts(d *json.Decoder) error {
	if err := delimiter(d, '['); err != nil {
		return err
	}
	for d.More() {
		var k struct {
			Key     solana.PublicKey `json:"pubkey"`
			Account *Account         `json:"account"`
		}
		if err := d.Decode(&k); err != nil {
			return fmt.Errorf("account %d: %w", len(l.all)+1, err)
		}
		if k.Key.IsZero() || k.Account == nil { // an answer could hold very many of so few bytes
			return fmt.Errorf("account %d has no address, or nothing at it", len(l.all)+1)
		}
		l.all = append(l.all, Keyed{k.Key, *k.Account})
	}
	return delimiter(d, ']')
}

// members reads an object; each reads what stands behind a name.
func members(d *json.Decoder, each func(name string) error) error {
	if err := delimiter(d, '{'); err != nil {
		return err
	}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string) // the decoder takes nothing else there
		if err := each(name); err != nil {
			return err
		}
	}
	return delimiter(d, '}')
}

func delimiter(d *json.Decoder, want json.Delim) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	if token != want {
		return errNoList
	}
	return nil
}

func skipValue(d *json.Decoder) error {
	var nobodys json.RawMessage
	return d.Decode(&nobodys)
}
