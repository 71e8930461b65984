package schedule

// shape is what the values of a field look like to a person.
type shape int

const (
	shapeList   shape = iota // no rule, or too few values to need one
	shapeSingle              // one value
	shapeAll                 // every value of the field
	shapeCycle               // every n-th value from the lowest on, round and round
	shapeOffset              // the same from a later value on
	shapeSteps               // every n-th value from the first to the last; n may be 1
)

// pattern is the values of a field, ascending, with their shape.
type pattern struct {
	shape  shape
	values []int
	step   int // the distance between neighbours; 0 when it varies
}

// newPattern sorts values into a shape. The field has size values from low up.
func newPattern(values []int, low, size int) pattern {
	p := pattern{values: values, step: stepOf(values)}
	round := p.step > 0 && p.step*len(values) == size
	switch {
	case len(values) == 1:
		p.shape = shapeSingle
	case len(values) == size:
		p.shape = shapeAll
	case round && values[0] == low:
		p.shape = shapeCycle
	case round && len(values) >= 3:
		p.shape = shapeOffset
	case p.step == 1 && len(values) >= 3, p.step > 1 && len(values) > fewTimes:
		p.shape = shapeSteps
	}
	return p
}

// first and last are the lowest and the highest value.
func (p pattern) first() int { return p.values[0] }
func (p pattern) last() int  { return p.values[len(p.values)-1] }

// zero reports whether the values are 0 alone.
func (p pattern) zero() bool { return p.shape == shapeSingle && p.values[0] == 0 }

// regular reports whether "every n" is a complete description.
func (p pattern) regular() bool { return p.shape == shapeAll || p.shape == shapeCycle }

// stepOf returns the distance between neighbours, and 0 when it varies or
// there are none.
func stepOf(values []int) int {
	if len(values) < 2 {
		return 0
	}
	step := values[1] - values[0]
	for i := 2; i < len(values); i++ {
		if values[i]-values[i-1] != step {
			return 0
		}
	}
	return step
}

// piece is a part of a list: the values from..to. A piece of hours may wrap.
type piece struct{ from, to int }

// group turns ascending values into pieces. Neighbours share one when there
// are at least shortest of them in a row.
func group(values []int, shortest int) []piece {
	var found []piece
	for i := 0; i < len(values); {
		j := i + 1
		for j < len(values) && values[j] == values[j-1]+1 {
			j++
		}
		if j-i >= shortest {
			found = append(found, piece{values[i], values[j-1]})
		} else {
			for _, v := range values[i:j] {
				found = append(found, piece{v, v})
			}
		}
		i = j
	}
	return found
}

// pieces returns at most limit pieces and the number of values that are in
// none of them.
func pieces(values []int, limit int) (shown []piece, more int) {
	shown = group(values, 3)
	if len(shown) > limit {
		shown = group(values, 2)
	}
	if len(shown) > limit {
		for _, p := range shown[limit:] {
			more += p.to - p.from + 1
		}
		shown = shown[:limit]
	}
	return shown, more
}

// cyclicRun returns the one run of at least three neighbours that values of
// 1..high are, where high is followed by 1.
func cyclicRun(values []int, high int) (piece, bool) {
	runs := joinEnds(group(values, 1), 1, high)
	if len(runs) != 1 || len(values) < 3 {
		return piece{}, false
	}
	return runs[0], true
}

// joinEnds joins the last piece with the first where the one ends in high and
// the other begins with low. The joined piece is the last.
func joinEnds(runs []piece, low, high int) []piece {
	end := len(runs) - 1
	if end < 1 || runs[0].from != low || runs[end].to != high {
		return runs
	}
	runs[end].to = runs[0].to
	return runs[1:]
}
