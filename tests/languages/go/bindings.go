package inventory

import "example.org/depot/ledger"

// What is known about the type of a name without asking a compiler.

type Clerk struct {
	shelf, spare *Shelf
	book         ledger.Book
	boxes        []Box[ID]
}

type Opener interface {
	Open(name string) (*ledger.Book, error)
	Spare() Shelf
}

var (
	first       Clerk
	second      = Clerk{}
	third       = &ledger.Book{Pages: 1}
	fourth, err = ledger.Open("a")
)

func NewClerk(shelf *Shelf, books ...ledger.Book) *Clerk {
	clerk := &Clerk{shelf: shelf}
	return clerk
}

func (c *Clerk) Open(a, b ledger.Book) (book *ledger.Book, err error) {
	var local Box[ID]
	clerk, other := NewClerk(c.shelf), 2
	book, err = c.book.Copy(), nil
	opened, err := ledger.Open("b")
	made := Clerk{}
	generic := Box[ID]{}
	asserted, ok := any(made).(*Clerk)
	asserted.Close(func() { clerk.book.Close() })
	for _, each := range c.boxes {
		each.Put(local, opened, generic, other, ok)
	}
	return (c.shelf).Take(), new(Clerk).err
}
