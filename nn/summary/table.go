package summary

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// String formats the modules as a table, with totals at the end. If none of the parameters of a
// module is trainable, their number is in parentheses.
//
//	Layer (type:depth-idx)  Input   Output  Params  Mult-adds  Activations  Peak
//	Sequential              [1, 3]  [1, 2]      --         --          8 B  40 B
//	├─Linear: 1-1           [1, 3]  [1, 4]      16         16         16 B  16 B
func (s Summary) String() string {
	head := []string{"Layer (type:depth-idx)", "Input", "Output", "Params", "Mult-adds", "Activations", "Peak"}
	cells := [][]string{head}
	for i, r := range s.Rows {
		if s.depth < 0 || r.Depth <= s.depth {
			cells = append(cells, s.cells(i, r))
		}
	}
	width := make([]int, len(head))
	for _, row := range cells {
		for i, c := range row {
			width[i] = max(width[i], len([]rune(c)))
		}
	}
	total := 2 * (len(width) - 1)
	for _, w := range width {
		total += w
	}
	line := strings.Repeat("=", total) + "\n"
	var b strings.Builder
	b.WriteString(line)
	for i, row := range cells {
		for j, c := range row {
			pad := strings.Repeat(" ", width[j]-len([]rune(c)))
			switch {
			case j == len(row)-1:
				b.WriteString(pad + c + "\n")
			case j < 3:
				b.WriteString(c + pad + "  ")
			default:
				b.WriteString(pad + c + "  ")
			}
		}
		if i == 0 {
			b.WriteString(line)
		}
	}
	b.WriteString(line)
	fmt.Fprintf(&b, "Total params: %s\nTrainable params: %s\nNon-trainable params: %s\nTotal mult-adds: %s\n",
		thousands(s.Params), thousands(s.Trainable), thousands(s.Params-s.Trainable), thousands(s.MultAdds))
	b.WriteString(line)
	fmt.Fprintf(&b, "Parameters and buffers: %s\nActivations: %s\nPeak above the memory in use before: %s\n",
		size(s.Bytes), size(s.Activations), size(s.Peak))
	b.WriteString(line[:total])
	return b.String()
}

func (s Summary) cells(i int, r Row) []string {
	name := r.Type
	if r.Depth > 0 {
		name = s.branches(i) + fmt.Sprintf("%s: %d-%d", r.Type, r.Depth, r.Index)
	}
	params, adds := "--", "--"
	if r.Params > 0 {
		params = thousands(r.Params)
		if !r.Trainable {
			params = "(" + params + ")"
		}
	}
	if r.MultAdds > 0 {
		adds = thousands(r.MultAdds)
	}
	row := []string{name, "--", "--", params, adds, "--", "--"}
	if r.Calls > 0 {
		row[1], row[2], row[5], row[6] = shapeList(r.Input), shapeList(r.Output), size(r.Activations), size(r.Peak)
		if r.Calls > 1 {
			row[0] += fmt.Sprintf(" (%d calls)", r.Calls)
		}
	}
	return row
}

// branches returns the tree lines that precede the name in row i.
func (s Summary) branches(i int) string {
	depth := s.Rows[i].Depth
	more := make([]bool, depth+1) // more[d]: row i, or its ancestor with depth d, has a sibling in a later row
	at := depth
	for _, r := range s.Rows[i+1:] {
		if r.Depth < at {
			at = r.Depth
		}
		if r.Depth <= at && r.Depth <= depth {
			more[r.Depth] = true
			at = r.Depth
		}
		if at == 0 {
			break
		}
	}
	var b strings.Builder
	for d := 1; d < depth; d++ {
		if more[d] {
			b.WriteString("│    ")
		} else {
			b.WriteString("     ")
		}
	}
	if more[depth] {
		return b.String() + "├─"
	}
	return b.String() + "└─"
}

func shapeList(shapes []torch.Shape) string {
	list := make([]string, len(shapes))
	for i, s := range shapes {
		if list[i] = "--"; s != nil {
			numbers := make([]string, len(s))
			for j, n := range s {
				numbers[j] = strconv.FormatInt(n, 10)
			}
			list[i] = "[" + strings.Join(numbers, ", ") + "]"
		}
	}
	return strings.Join(list, " ")
}

// thousands formats 21840 as 21,840.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// size formats bytes with a unit.
func size(n int64) string {
	units := []string{"KiB", "MiB", "GiB", "TiB"}
	if n < 1024 && n > -1024 {
		return fmt.Sprintf("%d B", n)
	}
	v := float64(n)
	unit := ""
	for _, u := range units {
		if v, unit = v/1024, u; v < 1024 && v > -1024 {
			break
		}
	}
	return fmt.Sprintf("%.1f %s", v, unit)
}
