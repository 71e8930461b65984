package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
)

// The layout of a bbolt file, as far as a reader needs it. Numbers are in the
// machine's byte order.
const (
	magic       = 0xED0CDAED
	version     = 2
	noFreelist  = ^uint64(0)
	pageHeader  = 16 // id, flags, count, overflow
	metaSize    = 64
	branchElem  = 16 // offset, key size, page
	leafElem    = 16 // flags, offset, key size, value size
	bucketSize  = 16 // root page, sequence; an inline page follows when root is 0
	branchFlag  = 0x01
	leafFlag    = 0x02
	freeFlag    = 0x10
	bucketFlag  = 0x01
	minPageSize = 1 << 10
	maxPageSize = 64 << 10
	maxDepth    = 64
)

var order = binary.NativeEndian

// row is a key and value found in a bucket.
type row struct {
	bucket     string
	key, value []byte
}

// walker reads a file page by page without trusting any of them. It goes on
// behind damage as far as the tree leads.
type walker struct {
	file     io.ReaderAt
	size     int64
	pageSize int64
	high     uint64          // pages from here on are not in use
	seen     map[uint64]bool // pages met; true for the first of a run
	found    func(row) error // nil to check only
	damage   []error         // the first few
	err      error           // of found, or of reading the disk
}

// walkFile checks every page that is in use and yields every row that can be
// read. damage is nil when the file is whole; err is about the disk or from
// found.
func walkFile(path string, found func(row) error) (damage error, rows int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	w := &walker{file: f, size: info.Size(), seen: make(map[uint64]bool)}
	w.found = func(r row) error {
		rows++
		if found == nil {
			return nil
		}
		return found(r)
	}
	w.walk()
	return errors.Join(w.damage...), rows, w.err
}

func (w *walker) walk() {
	root, freelist, ok := w.meta()
	if !ok {
		return
	}
	if freelist != noFreelist {
		if p, ok := w.page(freelist); ok && p.flags != freeFlag {
			w.report("page %d is not the list of free pages", freelist)
		}
	}
	w.tree("", root, nil, nil, 0)
}

// report keeps the first few findings.
func (w *walker) report(format string, args ...any) {
	if len(w.damage) < 5 {
		w.damage = append(w.damage, fmt.Errorf(format, args...))
	}
}

// meta finds the newer of the two whole meta pages. When one of them is
// damaged, the last commit may be gone with it.
func (w *walker) meta() (root, freelist uint64, ok bool) {
	first := w.metaAt(0)
	sizes := []int64{metaPageSize(first)}
	if first == nil { // the second one is behind a page of unknown size
		sizes = sizes[:0]
		for size := int64(minPageSize); size <= maxPageSize; size *= 2 {
			sizes = append(sizes, size)
		}
	}
	newest := first
	whole := false
	for _, size := range sizes {
		second := w.metaAt(size)
		if second == nil || metaPageSize(second) != size {
			continue
		}
		whole = first != nil
		if newest == nil || order.Uint64(second[48:]) > order.Uint64(newest[48:]) {
			newest = second
		}
	}
	if newest == nil {
		w.report("no meta page can be read")
		return 0, 0, false
	}
	if !whole {
		w.report("one of the two meta pages cannot be read: the last commit may be lost")
	}
	w.pageSize = metaPageSize(newest)
	if w.pageSize < minPageSize || w.pageSize > maxPageSize {
		w.report("pages of %d bytes are not known", w.pageSize)
		return 0, 0, false
	}
	w.high = order.Uint64(newest[40:])
	w.seen[0], w.seen[1] = true, true
	if w.high > uint64(w.size/w.pageSize) {
		w.report("the file has %d bytes, less than its %d pages", w.size, w.high)
	}
	return order.Uint64(newest[16:]), order.Uint64(newest[32:]), true
}

// metaAt returns the meta page at an offset, without its header, or nil when
// it is not whole.
func (w *walker) metaAt(at int64) []byte {
	b := make([]byte, pageHeader+metaSize)
	if _, err := w.file.ReadAt(b, at); err != nil {
		return nil
	}
	m := b[pageHeader:]
	h := fnv.New64a()
	h.Write(m[:metaSize-8])
	if order.Uint32(m) != magic || order.Uint32(m[4:]) != version || order.Uint64(m[56:]) != h.Sum64() {
		return nil
	}
	return m
}

// metaPageSize returns 0 for nil.
func metaPageSize(m []byte) int64 {
	if m == nil {
		return 0
	}
	return int64(order.Uint32(m[8:]))
}

// page is a page with its overflow, its body checked for size only.
type page struct {
	id    uint64
	flags uint16
	count int
	data  []byte // header included
}

func (w *walker) page(id uint64) (page, bool) {
	head := make([]byte, pageHeader)
	if id < 2 || id >= w.high || !w.read(head, id) {
		w.report("page %d is beyond the file", id)
		return page{}, false
	}
	overflow := uint64(order.Uint32(head[12:]))
	inside := int64(id+overflow+1) <= w.size/w.pageSize && overflow < w.high-id
	if order.Uint64(head) != id || !inside {
		w.report("page %d is damaged", id)
		return page{}, false
	}
	first := w.seen[id]
	for i := range overflow + 1 {
		if _, seen := w.seen[id+i]; seen {
			w.report("page %d is used twice", id+i)
		} else {
			w.seen[id+i] = false
		}
	}
	if first {
		return page{}, false
	}
	w.seen[id] = true
	data := make([]byte, int64(overflow+1)*w.pageSize)
	if !w.read(data, id) {
		w.report("page %d is beyond the file", id)
		return page{}, false
	}
	return page{id, order.Uint16(head[8:]), int(order.Uint16(head[10:])), data}, true
}

// read fills b from the start of a page. A short file is damage; a disk that
// cannot be read is as well, for what is on it is lost.
func (w *walker) read(b []byte, id uint64) bool {
	if id > uint64(w.size/w.pageSize) {
		return false
	}
	_, err := w.file.ReadAt(b, int64(id)*w.pageSize)
	return err == nil
}

// tree walks the pages of a bucket, whose keys are within [low, high).
func (w *walker) tree(bucket string, id uint64, low, high []byte, depth int) {
	if w.err != nil {
		return
	}
	p, ok := w.page(id)
	switch {
	case !ok:
	case depth > maxDepth:
		w.report("page %d is too deep", id)
	case p.flags == branchFlag && p.count > 0:
		w.branch(bucket, p, low, high, depth)
	case p.flags == leafFlag:
		w.leaf(bucket, p, low, high)
	default:
		w.report("page %d is damaged", id)
	}
}

func (w *walker) branch(bucket string, p page, low, high []byte, depth int) {
	type child struct {
		key []byte
		id  uint64
	}
	var children []child
	for i := range p.count {
		at := pageHeader + i*branchElem
		if at+branchElem > len(p.data) {
			w.report("page %d is damaged", p.id)
			break
		}
		e := p.data[at:]
		key, ok := slice(p.data, at, order.Uint32(e), order.Uint32(e[4:]))
		if !ok || !within(key, low, high) {
			w.report("page %d has a damaged key", p.id)
			continue
		}
		low = key
		children = append(children, child{key, order.Uint64(e[8:])})
	}
	for i, c := range children {
		end := high
		if i+1 < len(children) {
			end = children[i+1].key
		}
		w.tree(bucket, c.id, c.key, end, depth+1)
	}
}

// leaf yields the rows of a page, also those out of order: the reader of a row
// finds out what is wrong inside it. A page that has no key of its range is
// another one that a damaged branch leads to, and is left alone.
func (w *walker) leaf(bucket string, p page, low, high []byte) {
	rows, whole := w.leafRows(bucket, p)
	fits, last := 0, low
	for _, r := range rows {
		if within(r.key, low, high) {
			fits++
		}
		whole = whole && within(r.key, last, high)
		last = append(bytes.Clone(r.key), 0) // the next one is greater
	}
	if !whole {
		w.report("page %d has a damaged row", p.id)
	}
	if fits == 0 {
		w.seen[p.id] = false // its owner may still come by
		return
	}
	for _, r := range rows {
		if bucket == "" {
			w.bucket(string(r.key), p.id, r.value)
		} else if err := w.found(r); err != nil {
			w.err = err
		}
		if w.err != nil {
			return
		}
	}
}

// leafRows cuts a leaf page into its rows, and reports whether it could cut
// all of it.
func (w *walker) leafRows(bucket string, p page) (rows []row, whole bool) {
	kind := uint32(0)
	if bucket == "" {
		kind = bucketFlag // the root has buckets, a bucket has none
	}
	whole = true
	for i := range p.count {
		at := pageHeader + i*leafElem
		if at+leafElem > len(p.data) {
			return rows, false
		}
		e := p.data[at:]
		flags, pos, ksize, vsize := order.Uint32(e), order.Uint32(e[4:]), order.Uint32(e[8:]), order.Uint32(e[12:])
		key, ok := slice(p.data, at, pos, ksize)
		value, ok2 := slice(p.data, at, pos+ksize, vsize)
		if !ok || !ok2 || len(key) == 0 || flags != kind {
			whole = false
			continue
		}
		rows = append(rows, row{bucket, key, value})
	}
	return rows, whole
}

// bucket walks a bucket from its header, the value of a row of the root.
func (w *walker) bucket(name string, id uint64, value []byte) {
	switch {
	case len(value) < bucketSize:
		w.report("page %d has a damaged bucket", id)
	case order.Uint64(value) != 0:
		w.tree(name, order.Uint64(value), nil, nil, 0)
	case len(value) < bucketSize+pageHeader || order.Uint16(value[bucketSize+8:]) != leafFlag:
		w.report("page %d has a damaged bucket", id)
	default:
		data := value[bucketSize:]
		w.leaf(name, page{id, leafFlag, int(order.Uint16(data[10:])), data}, nil, nil)
	}
}

// slice returns size bytes at an offset from an element, when they are inside
// the page.
func slice(data []byte, at int, pos, size uint32) ([]byte, bool) {
	from := int64(at) + int64(pos)
	if from > int64(len(data)) || int64(size) > int64(len(data))-from {
		return nil, false
	}
	return data[from : from+int64(size)], true
}

func within(key, low, high []byte) bool {
	return len(key) > 0 && bytes.Compare(key, low) >= 0 && (high == nil || bytes.Compare(key, high) < 0)
}
