package orth_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// keyShapes are what keys look like that others have made: private ones in PEM, those of
// clouds and forges, and tokens of Orth itself.
var keyShapes = map[string]*regexp.Regexp{
	"a private key":            regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----\s+[A-Za-z0-9+/=\s]{64}`),
	"an access key of AWS":     regexp.MustCompile(`\bAKIA[0-9A-Z]{16}\b`),
	"a token of GitHub":        regexp.MustCompile(`\bgh[pousr]_[A-Za-z0-9]{36}\b`),
	"a token of Slack":         regexp.MustCompile(`\bxox[abprs]-[0-9]{10,}-[0-9A-Za-z-]{20,}`),
	"a key of Google":          regexp.MustCompile(`\bAIza[0-9A-Za-z_-]{35}\b`),
	"a token of a user":        regexp.MustCompile(`\borth_[a-z0-9]{10}[A-Za-z0-9_-]{32,}\b`),
	"a password in an address": regexp.MustCompile(`\b(postgres|mysql|amqps?|redis)://[^\s:/@"'<>{}$]+:[^\s:/@"'<>{}$]+@`),
}

// What lies in a working tree and is not kept in it: what was built, downloaded or
// written by a test or a server; and what tests read.
var (
	unshipped = []string{".git", "node_modules", "testdata", "bin", "dist", "orth-data", "orth-executor", "test-results", "playwright-report", "target"}
	leftovers = []string{".test", ".out", ".prof"}
)

// maxShipped bounds a file that is looked through.
const maxShipped = 32 << 20

// leaked returns the files of a tree that hold a key, as "file: what it holds". Tests,
// which no program has in it, are left out; archives are looked into.
func leaked(tree fs.FS) (all []string, looked int, err error) {
	err = fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains(unshipped, path.Base(name)):
			return fs.SkipDir
		case !entry.Type().IsRegular(), strings.HasSuffix(name, "_test.go"), slices.Contains(leftovers, path.Ext(name)), strings.Contains(name, ".test."):
			return nil
		}
		looked++
		text, err := readShipped(tree, name)
		if err != nil {
			return err
		}
		if strings.HasSuffix(name, ".zip") {
			packed, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			inside, _, err := leaked(packed)
			for _, found := range inside {
				all = append(all, name+"/"+found)
			}
			return err
		}
		for what, shape := range keyShapes {
			if shape.Match(text) {
				all = append(all, name+": "+what)
			}
		}
		return nil
	})
	slices.Sort(all)
	return all, looked, err
}

func readShipped(tree fs.FS, name string) ([]byte, error) {
	file, err := tree.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, maxShipped+1))
	if err == nil && len(text) > maxShipped {
		err = fmt.Errorf("%s has more than %d bytes", name, maxShipped)
	}
	return text, err
}

// Nothing that is built into programs, or lies beside them, holds a key.
func TestShippedWithoutKeys(t *testing.T) {
	t.Parallel()
	found, looked, err := leaked(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	if looked < 500 {
		t.Errorf("only %d files were looked through", looked)
	}
	for _, leak := range found {
		t.Errorf("%s: keys are made at the first start, and given by users", leak)
	}
}

func TestKeysAreFound(t *testing.T) {
	t.Parallel()
	secret := "-----BEGIN " + "EC PRIVATE KEY-----\n" + strings.Repeat("MHcCAQEEIO+/", 8) + "\n-----END"
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	inside, err := archive.Create("assets/app.js")
	if err == nil {
		_, err = io.WriteString(inside, "const key = 'AKIA"+"ABCDEFGHIJ234567'")
	}
	if err = errors.Join(err, archive.Close()); err != nil {
		t.Fatal(err)
	}
	found, looked, err := leaked(fstest.MapFS{
		"deploy/server.pem":         {Data: []byte(secret)},
		"console/dist.zip":          {Data: packed.Bytes()},
		"docs/tokens.md":            {Data: []byte("orth_" + "0123456789" + strings.Repeat("aZ", 16) + " is one; orth_0123456789secret is none")},
		"deploy/env":                {Data: []byte("URL=postgres://orth:" + "hunter2@db/orth")},
		"docs/database.md":          {Data: []byte("postgres://$USER:$PASSWORD@db/orth, -----BEGIN PRIVATE KEY----- and so on")},
		"internal/certs/a_test.go":  {Data: []byte(secret)},
		"internal/x/testdata/a.pem": {Data: []byte(secret)},
	})
	want := []string{
		"console/dist.zip/assets/app.js: an access key of AWS", "deploy/env: a password in an address",
		"deploy/server.pem: a private key", "docs/tokens.md: a token of a user",
	}
	if err != nil || looked != 5 || !slices.Equal(found, want) {
		t.Errorf("found %q in %d files, %v", found, looked, err)
	}
}
