package inventory

import (
	"fmt"
	"io"
)

type Color int

// A group: each type is a symbol of its own.
type (
	// ID identifies an item.
	ID uint64

	Names = []string

	Visit func(item *Item, depth struct{ level int }) (stop bool)
)

/*
Item is a struct.
*/
type Item struct {
	fmt.Stringer
	*Base
	Box[ID]
	*io.LimitedReader

	// Name and Title share a line and a doc comment.
	Name, Title string `json:"name"`

	tags map[string]struct {
		weight float64
	}
	_ [0]func() // not comparable

	// Not attached.

	owner struct {
		Name string
		home interface {
			Address() string
		}
	}
}

type Base struct{}

type Point = struct{ X, Y float64 }

// Store has methods, and takes those of another interface in.
type Store interface {
	io.Closer
	Reader[ID]
	// Add adds.
	Add(
		item Item,
	) error
	Len() int
}

type Number interface {
	~int | ~float64 | Color
}

type Reader[T any] interface{ Read() (T, bool) }

type Box[T any] struct {
	value T
}

type Pair[
	K comparable,
	V any,
] struct {
	First  K
	Second V
}

type List[T any] []T

type Tree[T interface{ Less(T) bool }] struct {
	left, right *Tree[T]
}

func uses(value any, in <-chan Item, by map[ID]*Point) (out []Color, err error) {
	if closer, ok := value.(interface{ Close() error }); ok {
		defer closer.Close()
	}
	switch value := value.(type) {
	case *Item:
		value.Base = new(Base)
	case fmt.Stringer:
		fmt.Println(value.String())
	}
	numbers := Map[int, string](nil, nil)
	box := Box[ID]{value: ID(1)}
	go box.value.run()
	return append(out, Color(len(numbers))), (*Error)(nil)
}

func Map[T, R any, S ~[]T](in S, f func(T) R) []R { return nil }

func pointers() (*int, *string) {
	return new(int(3)), new("größe")
}
