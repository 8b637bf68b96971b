package inventory

// What a signature leaves out: bodies, comments, and initialisers of several lines.

var (
	// A literal keeps its type,
	config = Config{
		Name: "a",
	}
	pointer = &Config{
		Name: "b",
	}
	table = map[string]func() error{
		"a": func() error { return nil },
	}
	cases = []struct {
		name string
		want int
	}{
		{"one", 1},
		{"two", 2},
	}
	// a call its function,
	requests = metrics.NewCounter(
		"requests",
	)
	once = lazily(func() int {
		type local struct{ n int }
		return local{1}.n
	})
	// and anything else becomes a blank.
	query, limit = `
select 1
`, 10
	sum = 1 +
		2

	short  = Config{Name: "c"}
	quick  = func() int { return 1 }()
	worker func(
		name string,
	) error
)

var defaultCompare = func(
	a Item, // the left one
	b Item,
) (
	less bool,
	err error,
) {
	return a.Name < b.Name, nil
}

const text = "a" +
	"b"

func (
	s *Shelf,
) Each(
	visit func(index int, item *Item) (stop bool),
	options struct {
		// Reverse goes backwards.
		Reverse bool
	},
) (
	count int,
	err error,
)

func Filter[
	T any,
	S ~[]T,
](
	in S,
	keep func(T) bool,
) S { // every item
	out := in[:0]
	for _, item := range in {
		if keep(item) {
			out = append(out, item)
		}
	}
	return out
}

func oneLine() { println("{") }; func another() { println("}") }

func last() {
	println("no line break after this function")
}
