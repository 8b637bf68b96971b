//go:build linux && cgo

// Package inventory shows what is a symbol in Go and where it begins and ends.
package inventory

/*
#include <stdlib.h>
*/
import "C"

import (
	"context"
	. "math"
	_ "net/http/pprof"

	// Comments in an import group stay out of the signatures.
	yaml "gopkg.in/yaml.v3"
)

// A comment with a blank line below it belongs to nothing.

// MaxItems has the keyword in its region: it stands alone.
const MaxItems = 1 << 10

const Low, High = 1, 2

// This comment belongs to the group, and to no symbol in it.
const (
	// Red has a doc comment of its own.
	Red Color = iota // and a comment behind it
	Green
	_
	Blue
)

var count, total int

var (
	// ErrEmpty is one of a group: its region is its own line.
	ErrEmpty = newError("empty")

	größe = len("größe") // identifiers may be any letters
)

// The compiler checks this; the blank name is a declaration all the same.
var _ Store = (*Shelf)(nil)

// Compare is a function, though it is declared as a variable.
var Compare = func(a, b Item) bool {
	swap := func() { a, b = b, a }
	swap()
	return a.Name < b.Name
}

var state struct {
	ready bool
	next  *Item
}

// New makes a Shelf.
//
//go:noinline
func New(ctx context.Context, names ...string) (*Shelf, error) {
	// Types may be local, and so may their fields. Variables and constants are no symbols.
	type pair struct {
		key, value string
	}
	const limit = 10
	var seen = map[string]pair{}
	visit := func(name string) {
		type mark int
		seen[name] = pair{name, name}
	}
	for _, name := range names {
		visit(name)
	}
	return &Shelf{}, ctx.Err()
}

// Without a body it is written in assembly.
func addVector(a, b []float64) float64

func init() {}

func init() { yaml.Marshal(Sqrt(2)) }

// Len has a value as its receiver.
func (s Shelf) Len() int { return len(s.items) }

/* Add has a pointer. */
func (s *Shelf) Add(item Item) {
	s.items = append(s.items, item)
}

func (*Shelf) Close() error { return nil }

func (s (Shelf)) parenthesized() {}

func (s *(Shelf)) both() {}

func (b *Box[T]) Put(value T) {}

func (Box[_]) Empty() bool { return true }

func (p Pair[K, V]) Swap() Pair[V, K] { return Pair[V, K]{p.Second, p.First} }
