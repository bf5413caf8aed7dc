package colour

const (
	red  = 31
	blue = 36
	gray = 37
)

type Theme struct {
	Name  string
	Light bool
}

func (t Theme) Level() int {
	return gray
}
