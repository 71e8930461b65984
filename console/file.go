package console

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"path"
	"strconv"
	"strings"
)

// maxFile limits the size of a file in bytes. A larger file is a build error.
const maxFile = 8 << 20

const scriptKind = "text/javascript; charset=utf-8"

// scriptPolicy is the content security policy of scripts. A shared worker, which opens the
// event stream, is under the policy of its own file and not of the page.
const scriptPolicy = "default-src 'none'; connect-src 'self'; frame-ancestors 'none'"

// file is one file of the console. It is immutable.
type file struct {
	kind     string // its Content-Type
	keep     string // its Cache-Control
	tag      string // digest of the contents, without quotes
	deflated []byte
	crc      uint32
	size     uint32 // uncompressed
}

// readFiles returns the files of a zip archive by name.
func readFiles(packed []byte) (map[string]*file, error) {
	archive, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		return nil, err
	}
	files := make(map[string]*file, len(archive.File))
	for _, entry := range archive.File {
		f, err := readFile(entry)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", entry.Name, err)
		}
		files[entry.Name] = f
	}
	return files, nil
}

func readFile(entry *zip.File) (*file, error) {
	if entry.Method != zip.Deflate || entry.UncompressedSize64 > maxFile {
		return nil, fmt.Errorf("is not deflated, or has more than %d bytes", maxFile)
	}
	kind := kindOf(entry.Name)
	if kind == "" {
		return nil, fmt.Errorf("is of no kind that the console has")
	}
	contents, err := entry.Open()
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.LimitReader(contents, maxFile+1)); err != nil { // checks the CRC too
		return nil, err
	}
	raw, err := entry.OpenRaw()
	if err != nil {
		return nil, err
	}
	deflated, err := io.ReadAll(raw)
	if err != nil {
		return nil, err
	}
	f := &file{
		kind: kind, keep: "no-cache", tag: hex.EncodeToString(sum.Sum(nil)[:12]),
		deflated: deflated, crc: entry.CRC32, size: uint32(entry.UncompressedSize64),
	}
	if strings.HasPrefix(entry.Name, assets) {
		f.keep = "public, max-age=31536000, immutable"
	}
	return f, nil
}

// kindOf returns the Content-Type for a file name, or "" if it is unknown. Unlike package
// mime, it does not depend on the machine.
func kindOf(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return scriptKind
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".woff2":
		return "font/woff2"
	case ".png":
		return "image/png"
	case ".json":
		return "application/json"
	}
	return ""
}

// inflate returns a reader of the uncompressed contents.
func (f *file) inflate() io.Reader { return flate.NewReader(bytes.NewReader(f.deflated)) }

// serve responds with the file, or with 304 if the browser has it.
func (f *file) serve(w http.ResponseWriter, r *http.Request) {
	zipped := takesGzip(r)
	tag := `"` + f.tag + `"`
	if zipped {
		tag = `"` + f.tag + `-gzip"`
	}
	h := w.Header()
	h.Set("Cache-Control", f.keep)
	h.Set("Vary", "Accept-Encoding")
	h.Set("ETag", tag)
	if f.kind == scriptKind {
		h.Set("Content-Security-Policy", scriptPolicy) // on a 304 too: it replaces the cached header
	}
	if strings.Contains(r.Header.Get("If-None-Match"), f.tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", f.kind)
	if !zipped {
		h.Set("Content-Length", strconv.Itoa(int(f.size)))
		if r.Method == http.MethodGet {
			_, _ = io.Copy(w, f.inflate()) // the client may have disconnected
		}
		return
	}
	head, tail := f.frame()
	h.Set("Content-Encoding", "gzip")
	h.Set("Content-Length", strconv.Itoa(len(head)+len(f.deflated)+len(tail)))
	if r.Method == http.MethodGet {
		for _, part := range [][]byte{head, f.deflated, tail} {
			_, _ = w.Write(part)
		}
	}
}

// frame returns the header and trailer that make the deflated bytes a gzip file (RFC 1952).
func (f *file) frame() (head, tail []byte) {
	head = []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255}
	tail = binary.LittleEndian.AppendUint32(nil, f.crc)
	return head, binary.LittleEndian.AppendUint32(tail, f.size)
}

// takesGzip reports whether a request accepts gzip.
func takesGzip(r *http.Request) bool {
	for _, header := range r.Header.Values("Accept-Encoding") {
		for wish := range strings.SplitSeq(header, ",") {
			name, params, _ := strings.Cut(wish, ";")
			if name = strings.TrimSpace(name); !strings.EqualFold(name, "gzip") {
				continue
			}
			weight, given := strings.CutPrefix(strings.ReplaceAll(params, " ", ""), "q=")
			q, err := strconv.ParseFloat(weight, 64)
			return !given || err == nil && q > 0
		}
	}
	return false
}
