package colour

const (
	red     = 31
	blue    = 36
	gray    = 37
	magenta = 35
)

type Theme struct {
	Name    string
	Light   bool
	Accent  int
}

func (t Theme) Level() int {
	return gray
}
