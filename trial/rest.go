package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// rest calls the API of the servers, one after the other.
type rest struct {
	servers []string // base URLs
	token   string
	client  http.Client
	next    atomic.Uint32
}

func newREST(servers []string, tokenFile string) (*rest, error) {
	token, err := os.ReadFile(tokenFile)
	if err != nil {
		return nil, err
	}
	return &rest{
		servers: servers, token: strings.TrimSpace(string(token)),
		client: http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}},
	}, nil
}

// call asks the next server once. Answers that are no success and no refusal leave the fate
// of the request unknown.
func (r *rest) call(method, path, key string, body, answer any) (fate, error) {
	server := r.servers[int(r.next.Add(1))%len(r.servers)]
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return refused, err
		}
	}
	q, err := http.NewRequest(method, server+"/api/v1"+path, bytes.NewReader(text))
	if err != nil {
		return refused, err
	}
	q.Header.Set("Authorization", "Bearer "+r.token)
	if body != nil {
		q.Header.Set("Content-Type", "application/json")
	}
	if method == http.MethodPatch {
		q.Header.Set("Content-Type", "application/merge-patch+json")
	}
	if key != "" {
		q.Header.Set("Idempotency-Key", key)
	}
	response, err := r.client.Do(q)
	if err != nil {
		return unknown, err
	}
	defer response.Body.Close()
	text, err = io.ReadAll(io.LimitReader(response.Body, 64<<20))
	switch {
	case err != nil:
		return unknown, err
	case response.StatusCode >= 500 || response.StatusCode == http.StatusTooManyRequests ||
		response.StatusCode == http.StatusConflict && response.Header.Get("Retry-After") != "": // an earlier try is being carried out
		return unknown, fmt.Errorf("%s %s: %s %s", method, path, response.Status, text)
	case response.StatusCode == http.StatusConflict && strings.Contains(string(text), "was carried out before"):
		return unheard, fmt.Errorf("%s %s: %s %s", method, path, response.Status, text)
	case response.StatusCode >= 300:
		return refused, fmt.Errorf("%s %s: %s %s", method, path, response.Status, text)
	case answer == nil:
		return done, nil
	}
	return done, json.Unmarshal(text, answer)
}

// insist calls until the fate is known, for a minute at most. Requests that change something
// need a key.
func (r *rest) insist(method, path, key string, body, answer any) error {
	for end := time.Now().Add(time.Minute); ; {
		f, err := r.call(method, path, key, body, answer)
		if f != unknown || time.Now().After(end) {
			return err
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// list reads runs, the newest first, down to the first one that stop is true of.
func (r *rest) list(filter string, stop func(run) bool) (all []run, err error) {
	for before := ""; ; {
		var page struct {
			Runs []run  `json:"runs"`
			Next string `json:"next"`
		}
		path := "/runs?limit=1000" + filter
		if before != "" {
			path += "&before=" + url.QueryEscape(before)
		}
		if err := r.insist(http.MethodGet, path, "", nil, &page); err != nil {
			return nil, err
		}
		for _, one := range page.Runs {
			if stop(one) {
				return all, nil
			}
			all = append(all, one)
		}
		if before = page.Next; before == "" {
			return all, nil
		}
	}
}

// accounts reads all runs with their attempts.
func (r *rest) accounts() ([]run, error) {
	runs, err := r.list("", func(run) bool { return false })
	if err != nil {
		return nil, err
	}
	work, errs := make(chan *run), make(chan error, len(runs))
	var doing sync.WaitGroup
	for range 4 {
		doing.Go(func() {
			for one := range work {
				var list struct {
					Attempts []attempt `json:"attempts"`
				}
				if err := r.insist(http.MethodGet, "/runs/"+one.ID+"/attempts", "", nil, &list); err != nil {
					errs <- err
				}
				one.Attempts = list.Attempts
			}
		})
	}
	for i := range runs {
		work <- &runs[i]
	}
	close(work)
	doing.Wait()
	close(errs)
	var found []error
	for err := range errs {
		found = append(found, err)
	}
	return runs, errors.Join(found...)
}

// ready reports whether a server says that it is.
func (r *rest) ready(server string) bool {
	response, err := r.client.Get(server + "/readyz")
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}
