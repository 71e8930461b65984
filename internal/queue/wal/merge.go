package wal

import (
	"bytes"

	"github.com/tidwall/btree"
)

// merge goes through the entries of two trees in order. The upper one decides
// about a key that both have.
type merge struct {
	entry        *entry // the current one; nil at the end
	upper, lower cursor
}

func newMerge(upper, lower *tree, from []byte) merge {
	m := merge{upper: newCursor(upper, from), lower: newCursor(lower, from)}
	m.choose()
	return m
}

func (m *merge) done() bool { return m.entry == nil }

func (m *merge) next() {
	passed := m.entry.key
	if m.upper.entry != nil && bytes.Equal(m.upper.entry.key, passed) {
		m.upper.next()
	}
	if m.lower.entry != nil && bytes.Equal(m.lower.entry.key, passed) {
		m.lower.next()
	}
	m.choose()
}

func (m *merge) choose() {
	m.entry = m.upper.entry
	if l := m.lower.entry; l != nil && (m.entry == nil || bytes.Compare(l.key, m.entry.key) < 0) {
		m.entry = l
	}
}

func (m *merge) release() {
	m.upper.release()
	m.lower.release()
}

// cursor is a place in one tree.
type cursor struct {
	entry *entry // nil at the end
	iter  *btree.IterG[item]
}

func newCursor(tr *tree, from []byte) cursor {
	if tr == nil {
		return cursor{}
	}
	iter := tr.Iter()
	c := cursor{iter: &iter}
	if c.iter.Seek(itemOf(&entry{key: from})) {
		c.entry = c.iter.Item().entry
	}
	return c
}

func (c *cursor) next() {
	c.entry = nil
	if c.iter.Next() {
		c.entry = c.iter.Item().entry
	}
}

func (c *cursor) release() {
	if c.iter != nil {
		c.iter.Release()
	}
}
