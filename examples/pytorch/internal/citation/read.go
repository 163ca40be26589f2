package citation

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/examples/pytorch/internal/text"
	"github.com/gotorch/gotorch/torch"
)

// read reads Cora's two files from a directory. A line of cora.content contains the name
// of a paper, a 0 or 1 for each word, and the subject. A line of cora.cites contains the
// name of a paper and the name of a paper that cites it.
func read(folder string) (*Graph, error) {
	var features []float32
	var subject []string
	number := map[string]int64{}
	err := text.Lines(filepath.Join(folder, "cora.content"), func(line string) error {
		fields := strings.Fields(line)
		if n := len(fields) - 2; n < 1 || len(features) != len(number)*n {
			return fmt.Errorf("unexpected number of fields: %d", len(fields))
		}
		if _, twice := number[fields[0]]; twice {
			return fmt.Errorf("duplicate paper %q", fields[0])
		}
		for _, word := range fields[1 : len(fields)-1] {
			if word != "0" && word != "1" {
				return fmt.Errorf("expected 0 or 1 for each word, got %q", word)
			}
			features = append(features, float32(word[0]-'0'))
		}
		number[fields[0]] = int64(len(number))
		subject = append(subject, fields[len(fields)-1])
		return nil
	})
	if err != nil {
		return nil, err
	}
	var cited, by []int64
	err = text.Lines(filepath.Join(folder, "cora.cites"), func(line string) error {
		fields := strings.Fields(line)
		if len(fields) != 2 {
			return fmt.Errorf("unexpected number of fields: %d", len(fields))
		}
		for i, to := range []*[]int64{&cited, &by} {
			id, ok := number[fields[i]]
			if !ok {
				return fmt.Errorf("paper %q is not in cora.content", fields[i])
			}
			*to = append(*to, id)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(cited) == 0 {
		return nil, fmt.Errorf("%s: the file has no citations", folder)
	}
	classes := slices.Compact(slices.Sorted(slices.Values(subject)))
	labels := make([]int64, len(subject))
	for i, s := range subject {
		k, _ := slices.BinarySearch(classes, s)
		labels[i] = int64(k)
	}
	n := int64(len(labels))
	return &Graph{
		Features: torch.FromSlice(features, n, int64(len(features))/n), Labels: torch.FromSlice(labels),
		Edges: torch.FromSlice(append(cited, by...), 2, int64(len(by))), Subjects: int64(len(classes)),
	}, nil
}
