package crlf

import "fmt"

// Grüße is documented
// over two lines.
type Grüße struct {
	// Name is the name.
	Name string
}

func (g *Grüße) Say(
	times int,
) error {
	fmt.Println(g.Name)
	return nil
}

const (
	One = iota
	Two
)