package rawjson

// Broken returns the position of the first syntax error, or -1 if data is one JSON value.
// Data must be valid UTF-8. Broken doesn't recurse, so it accepts any depth of nesting. It
// also accepts repeated names.
func Broken(data []byte) int {
	var open []byte // the closing characters of the open containers
	var ok bool
	i := 0
	for {
		i = SkipSpace(data, i)
		if i < len(data) && (data[i] == '{' || data[i] == '[') {
			closing := data[i] + 2 // in ASCII
			open = append(open, closing)
			i = SkipSpace(data, i+1)
			if i == len(data) || data[i] != closing {
				if i, ok = enterMember(data, i, closing); !ok {
					return i
				}
				continue
			}
		} else {
			end := ScanValue(data, i, 0)
			if end < 0 {
				return i
			}
			i = end
		}
		if i, open = leave(data, i, open); len(open) == 0 {
			if i < len(data) {
				return i
			}
			return -1
		}
		if i == len(data) || data[i] != ',' {
			return i
		}
		if i, ok = enterMember(data, i+1, open[len(open)-1]); !ok {
			return i
		}
	}
}

// leave skips white space and the ends of containers.
func leave(data []byte, i int, open []byte) (int, []byte) {
	i = SkipSpace(data, i)
	for len(open) > 0 && i < len(data) && data[i] == open[len(open)-1] {
		open = open[:len(open)-1]
		i = SkipSpace(data, i+1)
	}
	return i, open
}

// enterMember returns the position of the next value in a container. In an object, it skips
// the name and the colon; if they are malformed, it returns that position and false.
func enterMember(data []byte, i int, closing byte) (int, bool) {
	i = SkipSpace(data, i)
	if closing == ']' {
		return i, true
	}
	if i == len(data) || data[i] != '"' {
		return i, false
	}
	end, _ := ScanString(data, i)
	if end < 0 {
		return i, false
	}
	i = SkipSpace(data, end)
	if i == len(data) || data[i] != ':' {
		return i, false
	}
	return i + 1, true
}
