package signing

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/wire/native/message"
	"github.com/orthd/orth/internal/wire/post"
	"github.com/orthd/orth/job"
)

const testToken = "a token that both sides know"

// signedRequestTo returns a request as a caller with that token signs it now.
func signedRequestTo(token, name, to string, body []byte) *http.Request {
	fields, _ := NewSigner(token).Sign(name, to, body, time.Now())
	r := httptest.NewRequest(http.MethodPost, message.PathPrefix+name, bytes.NewReader(body))
	fields.AddTo(r.Header)
	return r
}

// TestGoldenSignature fixes the text that is signed: other programs make it too.
func TestGoldenSignature(t *testing.T) {
	t.Parallel()
	what := signed{
		path: "/orth/v1/tasks", body: sha256.Sum256([]byte(`{"tasks":[]}`)), at: "1795227154000",
		nonce: "AAECAwQFBgcICQoLDA0ODw", to: "a1b2",
	}
	if got, want := what.signature("secret", "POST"), "31c7b1a4548b030b39c440230025edc5fc1f0861eae074956509e563b25f7287"; got != want {
		t.Errorf("the signature of a request is %s, want %s", got, want)
	}
	got := answerSignature("secret", 200, what.nonce, "", []byte(`{"answers":[]}`))
	if want := "6ce6e20636b4a118a366655b48c0d5b2e8936dcc75fb5e4681807d1c7488f14f"; got != want {
		t.Errorf("the signature of an answer is %s, want %s", got, want)
	}
	if got := credential.KeyID("secret"); got != "2bb80d537b1da3e3" {
		t.Errorf("the id of the token is %s", got)
	}
}

func TestVerifierTakesEachOnce(t *testing.T) {
	t.Parallel()
	v := NewVerifier(VerifierConfig{Keys: NewTokens("another one", testToken)})
	body := []byte(`{"job":1}`)
	r := signedRequestTo(testToken, message.NameBusy, "", body)
	_, session, err := v.Check(r, body)
	if err != nil || session.token != testToken {
		t.Fatalf("%+v, %v", session, err)
	}
	_, again, err := v.Check(r, body)
	if !job.Is(err, job.Unauthorized) || again.nonce != "" {
		t.Errorf("the second time: %v, session %+v; want unauthorized and nothing that signs", err, again)
	}
}

// TestVerifierTakesOneOfMany: of the same request from many at once one is taken.
func TestVerifierTakesOneOfMany(t *testing.T) {
	t.Parallel()
	v := NewVerifier(VerifierConfig{Keys: NewTokens(testToken)})
	body := []byte(`{}`)
	r := signedRequestTo(testToken, message.NameBeat, "", body)
	var taken atomic.Int32
	var callers sync.WaitGroup
	for range 100 {
		callers.Go(func() {
			if _, _, err := v.Check(r.Clone(t.Context()), body); err == nil {
				taken.Add(1)
			}
		})
	}
	callers.Wait()
	if taken.Load() != 1 {
		t.Errorf("taken %d times", taken.Load())
	}
}

func TestVerifierRefuses(t *testing.T) {
	t.Parallel()
	body := []byte(`{"job":1}`)
	set := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	without := func(name string) func(*http.Request) { return func(r *http.Request) { r.Header.Del(name) } }
	twice := func(name string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Add(name, r.Header.Get(name)) }
	}
	for name, c := range map[string]struct {
		change func(*http.Request)
		kind   job.Kind
	}{
		"nothing is wrong": {func(*http.Request) {}, ""},
		"behind a proxy":   {func(r *http.Request) { r.RequestURI = "/orth" + r.RequestURI }, ""},
		"no key":           {without(message.HeaderKey), job.Unauthorized},
		"no time":          {without(message.HeaderTime), job.Unauthorized},
		"no nonce":         {without(message.HeaderNonce), job.Unauthorized},
		"no signature":     {without(message.HeaderSignature), job.Unauthorized},
		"two keys":         {twice(message.HeaderKey), job.Unauthorized},
		"two signatures":   {twice(message.HeaderSignature), job.Unauthorized},
		"two receivers":    {func(r *http.Request) { r.Header[HeaderTo] = []string{"me", "me"} }, job.Unauthorized},
		"another key":      {set(message.HeaderKey, credential.KeyID("no token")), job.Unauthorized},
		"no key at all":    {set(message.HeaderKey, "none"), job.Unauthorized},
		"a key in capitals": {func(r *http.Request) {
			r.Header.Set(message.HeaderKey, strings.ToUpper(r.Header.Get(message.HeaderKey)))
		}, job.Unauthorized},
		"another time":       {set(message.HeaderTime, strconv.FormatInt(time.Now().UnixMilli()-5000, 10)), job.Unauthorized},
		"no time at all":     {set(message.HeaderTime, "now"), job.Unauthorized},
		"another nonce":      {set(message.HeaderNonce, newNonce()), job.Unauthorized},
		"a short nonce":      {set(message.HeaderNonce, "abc"), job.Unauthorized},
		"another signature":  {set(message.HeaderSignature, strings.Repeat("0", 64)), job.Unauthorized},
		"another receiver":   {set(HeaderTo, "you"), job.Unauthorized},
		"another name":       {func(r *http.Request) { r.RequestURI = message.PathPrefix + message.NameCancel }, job.Unauthorized},
		"a query":            {func(r *http.Request) { r.RequestURI += "?x=1" }, job.Unauthorized},
		"another method":     {func(r *http.Request) { r.Method = http.MethodPut }, job.Unauthorized},
		"another version":    {func(r *http.Request) { r.RequestURI = "/orth/v2/" + message.NameBusy }, job.Unauthorized},
		"a key nobody tells": {set(message.HeaderKey, "0000000000000000"), job.Unavailable},
	} {
		v := NewVerifier(VerifierConfig{Keys: brokenKeys{NewTokens(testToken)}, Self: "me"})
		r := signedRequestTo(testToken, message.NameBusy, "me", body)
		c.change(r)
		if _, _, err := v.Check(r, body); job.KindOf(err) != c.kind {
			t.Errorf("%s: kind %q, %v; want %q", name, job.KindOf(err), err, c.kind)
		}
	}
}

// brokenKeys cannot tell about one key.
type brokenKeys struct{ Tokens }

func (b brokenKeys) Key(ctx context.Context, id string) (string, job.Caller, error) {
	if id == "0000000000000000" {
		return "", job.Caller{}, job.Errorf(job.Unavailable, "the store is away")
	}
	return b.Tokens.Key(ctx, id)
}

// TestVerifierWantsItsOwn: what is meant for another executor is not taken here, and
// the answer says so in a way that can be trusted.
func TestVerifierWantsItsOwn(t *testing.T) {
	t.Parallel()
	v := NewVerifier(VerifierConfig{Keys: NewTokens(testToken), Self: "me"})
	_, session, err := v.Check(signedRequestTo(testToken, message.NameBeat, "you", nil), nil)
	if !job.Is(err, job.Unavailable) || session.nonce == "" {
		t.Errorf("%v, session %+v; want unavailable, signed", err, session)
	}
}

// TestNoBitCanBeFlipped: whatever is changed of a signed request or answer, it is not
// taken.
func TestNoBitCanBeFlipped(t *testing.T) {
	t.Parallel()
	v := NewVerifier(VerifierConfig{Keys: NewTokens(testToken)})
	rapid.Check(t, func(t *rapid.T) {
		body := rapid.SliceOfN(rapid.Byte(), 1, 200).Draw(t, "body")
		r := signedRequestTo(testToken, message.NameTasks, "me", body)
		nonce := r.Header.Get(message.HeaderNonce)
		parts := map[string]*string{"method": &r.Method, "path": &r.RequestURI}
		for _, name := range []string{message.HeaderKey, message.HeaderTime, message.HeaderNonce, HeaderTo, message.HeaderSignature} {
			parts[name] = &r.Header[name][0]
		}
		names := []string{"body", "method", "path", message.HeaderKey, message.HeaderTime, message.HeaderNonce, HeaderTo, message.HeaderSignature}
		which := rapid.SampledFrom(names).Draw(t, "part")
		sent := slices.Clone(body)
		if which == "body" {
			flip(t, sent)
		} else {
			part := []byte(*parts[which])
			from := 0
			if which == "path" { // what stands before the name is the proxy's
				from = len(message.PathPrefix)
			}
			flip(t, part[from:])
			*parts[which] = string(part)
		}
		if _, _, err := v.Check(r, sent); err == nil {
			t.Fatalf("a request with another %s was taken", which)
		}
		s := NewSigner(testToken)
		signature := answerSignature(testToken, 200, nonce, "", body)
		if !s.proves(nonce, 200, "", body, signature) {
			t.Fatal("an answer was not taken as it is")
		}
		if s.proves(nonce, 503, "", body, signature) || s.proves(newNonce(), 200, "", body, signature) ||
			s.proves(nonce, 200, "1", body, signature) || NewSigner("x").proves(nonce, 200, "", body, signature) {
			t.Fatal("an answer to something else was taken")
		}
		other := slices.Clone(body)
		flip(t, other)
		if s.proves(nonce, 200, "", other, signature) {
			t.Fatal("another answer was taken")
		}
	})
}

func flip(t *rapid.T, text []byte) {
	bit := rapid.IntRange(0, 8*len(text)-1).Draw(t, "bit")
	text[bit/8] ^= 1 << (bit % 8)
}

// TestTime: a request is good for a window around the clock, and not before the start.
func TestTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := NewVerifier(VerifierConfig{Keys: NewTokens(testToken)})
		check := func(off time.Duration) error {
			fields, _ := NewSigner(testToken).Sign(message.NameBeat, "", nil, time.Now().Add(off))
			r := httptest.NewRequest(http.MethodPost, message.PathPrefix+message.NameBeat, nil)
			fields.AddTo(r.Header)
			_, session, err := v.Check(r, nil)
			if (session.nonce == "") != (err != nil && !strings.Contains(err.Error(), "signed")) {
				t.Errorf("%s off: %v, session %+v", off, err, session)
			}
			return err
		}
		for _, c := range []struct {
			off time.Duration
			ok  bool
		}{{0, true}, {window, true}, {window + time.Millisecond, false}, {-time.Millisecond, false}, {-window, false}} {
			if err := check(c.off); (err == nil) != c.ok {
				t.Errorf("%s off at the start: %v", c.off, err)
			}
		}
		time.Sleep(10 * time.Minute)
		for _, c := range []struct {
			off time.Duration
			ok  bool
		}{{0, true}, {window, true}, {window + time.Millisecond, false}, {-window, true}, {-window - time.Millisecond, false}} {
			if err := check(c.off); (err == nil) != c.ok {
				t.Errorf("%s off later: %v", c.off, err)
			}
		}
	})
}

// TestNothingIsTakenTwiceEver: a request is refused for as long as its time is good.
func TestNothingIsTakenTwiceEver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := NewVerifier(VerifierConfig{Keys: NewTokens(testToken)})
		time.Sleep(3 * window)
		fields, _ := NewSigner(testToken).Sign(message.NameBeat, "", nil, time.Now().Add(window))
		r := httptest.NewRequest(http.MethodPost, message.PathPrefix+message.NameBeat, nil)
		fields.AddTo(r.Header)
		if _, _, err := v.Check(r, nil); err != nil {
			t.Fatal(err)
		}
		for range 300 {
			time.Sleep(time.Second)
			if _, _, err := v.Check(signedRequestTo(testToken, message.NameBeat, "", nil), nil); err != nil {
				t.Fatal(err)
			}
			if _, _, err := v.Check(r, nil); err == nil {
				t.Fatal("taken twice")
			}
		}
		if n := v.nonces.young.all + v.nonces.old.all; n > 300 {
			t.Errorf("%d nonces are remembered", n)
		}
	})
}

// oldSide answers like a receiver whose clock is off, and counts what came.
type oldSide struct {
	off      time.Duration
	requests atomic.Int32
}

func (s *oldSide) RoundTrip(r *http.Request) (*http.Response, error) {
	s.requests.Add(1)
	body, err := ReadBody(r)
	if err != nil {
		return nil, err
	}
	r.RequestURI = r.URL.RequestURI()
	ms, _ := strconv.ParseInt(r.Header.Get(message.HeaderTime), 10, 64)
	w := httptest.NewRecorder()
	what, _, signature, err := readSigned(r)
	what.body = sha256.Sum256(body)
	session := Session{token: testToken, nonce: what.nonce}
	switch there := time.Now().Add(s.off); {
	case err != nil || signature != what.signature(testToken, r.Method):
		Session{}.Refuse(w, r, message.Problem{Status: 401, Kind: message.KindUnauthorized, Message: "no"})
	case time.UnixMilli(ms).Sub(there).Abs() > window:
		at := strconv.FormatInt(there.UnixMilli(), 10)
		text := message.AppendProblem(nil, message.Problem{Status: 401, Kind: message.KindUnauthorized, Message: "the clock"})
		w.Header().Set(message.HeaderTime, at)
		w.Header().Set(message.HeaderSignature, answerSignature(testToken, 401, what.nonce, at, text))
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write(text)
	default:
		session.Write(w, r, 200, []byte(`{}`))
	}
	return w.Result(), nil
}

// TestClocksCorrectThemselves: a caller learns the other side's clock from one answer.
func TestClocksCorrectThemselves(t *testing.T) {
	t.Parallel()
	for _, off := range []time.Duration{-10 * time.Minute, -time.Minute - time.Second, 0, 10 * time.Minute} {
		side := &oldSide{off: off}
		c := NewCourier(post.Config{Transport: side})
		for i := range 3 {
			got, err := c.Send(t.Context(), Letter{Address: "http://h/x", Name: message.NameBeat, Token: testToken, Body: []byte(`{}`)})
			if err != nil || got.Status != 200 {
				t.Fatalf("%s off, time %d: %+v, %v", off, i, got, err)
			}
		}
		want := int32(4)
		if off == 0 {
			want = 3
		}
		if n := side.requests.Load(); n != want {
			t.Errorf("%s off: %d requests for three letters, want %d", off, n, want)
		}
	}
	side := &oldSide{}
	c := NewCourier(post.Config{Transport: side})
	if _, err := c.Send(t.Context(), Letter{Address: "http://h", Name: message.NameBeat, Token: "wrong"}); !job.Is(err, job.Unauthorized) || side.requests.Load() != 1 {
		t.Errorf("with a wrong token: %v after %d requests", err, side.requests.Load())
	}
}

// TestCourierTakesSignedAnswersOnly: what somebody on the way makes up counts for
// nothing.
func TestCourierTakesSignedAnswersOnly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer func(w http.ResponseWriter, r *http.Request)
		kind   job.Kind
	}{
		"not signed": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{}`)) }, job.Ambiguous},
		"another's":  {func(w http.ResponseWriter, r *http.Request) { signAs("x", r, w, 200) }, job.Ambiguous},
		"another nonce's": {func(w http.ResponseWriter, r *http.Request) {
			Session{token: testToken, nonce: newNonce()}.Write(w, r, 200, []byte(`{}`))
		}, job.Ambiguous},
		"a page":   {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "<html>", http.StatusNotFound) }, job.Ambiguous},
		"overload": {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "busy", http.StatusServiceUnavailable) }, job.Ambiguous},
		"a bare 401": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(message.HeaderTime, "0")
			w.WriteHeader(http.StatusUnauthorized)
		}, job.Unauthorized},
		"a false 401": {func(w http.ResponseWriter, r *http.Request) { signAs("x", r, w, 401) }, job.Unauthorized},
		"right":       {func(w http.ResponseWriter, r *http.Request) { signAs(testToken, r, w, 200) }, ""},
		"a right 503": {func(w http.ResponseWriter, r *http.Request) { signAs(testToken, r, w, 503) }, ""},
	} {
		var requests atomic.Int32
		side := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			requests.Add(1)
			c.answer(w, r)
		}))
		courier := NewCourier(post.Config{})
		_, err := courier.Send(t.Context(), Letter{Address: side.URL, Name: message.NameBeat, Token: testToken, Body: []byte(`{}`)})
		if job.KindOf(err) != c.kind || requests.Load() != 1 {
			t.Errorf("%s: kind %q, %v after %d requests; want %q after 1", name, job.KindOf(err), err, requests.Load(), c.kind)
		}
		if ahead := courier.peer(side.URL).ahead.Load(); ahead != 0 {
			t.Errorf("%s: the clock was set %d ms ahead", name, ahead)
		}
		courier.Close()
		side.Close()
	}
	c := NewCourier(post.Config{})
	if _, err := c.Send(t.Context(), Letter{Address: "http://127.0.0.1:1", Name: message.NameBeat}); !job.Is(err, job.Unreachable) {
		t.Errorf("nobody there: %v", err)
	}
	if _, err := c.Send(t.Context(), Letter{Address: "ftp://h", Name: message.NameBeat}); !job.Is(err, job.Invalid) {
		t.Errorf("no address: %v", err)
	}
}

// signAs answers the request signed with a token.
func signAs(token string, r *http.Request, w http.ResponseWriter, status int) {
	Session{token: token, nonce: r.Header.Get(message.HeaderNonce)}.Write(w, r, status, []byte(`{}`))
}

// TestPeersAreBounded: what is learnt of addresses is forgotten when there are many.
func TestPeersAreBounded(t *testing.T) {
	t.Parallel()
	c := NewCourier(post.Config{})
	defer c.Close()
	if minor := c.MinorOf("http://executor"); minor != 0 || len(c.peers) != 0 {
		t.Errorf("an address without an exchange speaks 1.%d, and %d are known", minor, len(c.peers))
	}
	for i := range maxPeers + 10 {
		c.peer(fmt.Sprint(i))
	}
	if len(c.peers) > maxPeers {
		t.Errorf("%d addresses are known", len(c.peers))
	}
}

func TestNonces(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1)
	n := newNonces(4, time.Minute)
	if err := n.take("a", "A"+newNonce()[1:21]+"B", now); !job.Is(err, job.Unauthorized) {
		t.Errorf("written in another way: %v", err)
	}
	if err := n.take("a", "", now); !job.Is(err, job.Unauthorized) {
		t.Errorf("none: %v", err)
	}
	first := newNonce()
	for key, want := range map[string]job.Kind{"a": "", "b": ""} {
		if err := n.take(key, first, now); job.KindOf(err) != want {
			t.Errorf("%s: %v", key, err)
		}
	}
	if err := n.take("a", newNonce(), now); err != nil {
		t.Error(err)
	}
	if err := n.take("a", newNonce(), now); !job.Is(err, job.Full) {
		t.Errorf("more than half for one token: %v", err)
	}
	if err := n.take("b", newNonce(), now.Add(time.Minute)); err != nil {
		t.Error(err)
	}
	if err := n.take("c", newNonce(), now.Add(time.Minute)); !job.Is(err, job.Full) {
		t.Errorf("more than there are places: %v", err)
	}
	if err := n.take("a", first, now.Add(2*time.Minute-1)); !job.Is(err, job.Unauthorized) {
		t.Errorf("one of the generation before: %v", err)
	}
	if err := n.take("a", first, now.Add(2*time.Minute)); err != nil {
		t.Errorf("when it is over: %v", err)
	}
}
