package models

import (
	"encoding/json"
	"fmt"
	"strconv"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// mostLabels is the largest number of labels that a classifier may have.
const mostLabels = 1 << 24

// Labels are the names that a classifier predicts, and how it is trained.
type Labels struct {
	Names   []string
	Problem Problem
}

// A Problem is the kind of a classification: problem_type in a config.json.
type Problem string

// The kinds of classifications. The loss is the mean squared error, the cross entropy or
// the binary cross entropy.
const (
	ProblemRegression  Problem = "regression"
	ProblemSingleLabel Problem = "single_label_classification"
	ProblemMultiLabel  Problem = "multi_label_classification"
)

// ParseLabels reads id2label, num_labels and problem_type of a config.json. By default there
// are two labels, LABEL_0 and LABEL_1.
func ParseLabels(config []byte) (Labels, error) {
	var file struct {
		IDToLabel map[string]string `json:"id2label"`
		NumLabels *int              `json:"num_labels"`
		Problem   Problem           `json:"problem_type"`
	}
	if err := json.Unmarshal(config, &file); err != nil {
		return Labels{}, err
	}
	n := 2
	switch {
	case file.IDToLabel != nil:
		n = len(file.IDToLabel)
	case file.NumLabels != nil:
		n = *file.NumLabels
	}
	if n < 0 || n > mostLabels {
		return Labels{}, fmt.Errorf("num_labels: expected a number from 0 to %d, got %d", mostLabels, n)
	}
	l := Labels{Problem: file.Problem}
	for i := range n {
		name, ok := file.IDToLabel[strconv.Itoa(i)]
		if !ok && file.IDToLabel != nil {
			return Labels{}, fmt.Errorf("id2label: label %d of %d is missing", i, n)
		}
		if !ok {
			name = "LABEL_" + strconv.Itoa(i)
		}
		l.Names = append(l.Names, name)
	}
	return l, l.Check()
}

// Check reports an unknown Problem.
func (l Labels) Check() error {
	switch l.Problem {
	case "", ProblemRegression, ProblemSingleLabel, ProblemMultiLabel:
		return nil
	}
	return fmt.Errorf("problem_type: expected %s, %s or %s, got %q", ProblemRegression, ProblemSingleLabel,
		ProblemMultiLabel, l.Problem)
}

// Loss returns the loss of a classification. logits has shape (N, labels). labels are
// numbers of labels (N) for one label, and values (N, labels) for regression and several
// labels. Without a Problem, one label means regression, integers one label, and other
// values several.
func (l Labels) Loss(logits, labels *torch.Tensor) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		problem, n := l.Problem, logits.Size(-1)
		if problem == "" {
			switch {
			case n == 1:
				problem = ProblemRegression
			case labels.DType().IsFloatingPoint():
				problem = ProblemMultiLabel
			default:
				problem = ProblemSingleLabel
			}
		}
		switch problem {
		case ProblemRegression:
			return F.MSELoss(logits.Reshape(-1), labels.Reshape(-1))
		case ProblemMultiLabel:
			return F.BinaryCrossEntropyWithLogits(logits, labels)
		default:
			return F.CrossEntropy(logits, labels.Reshape(-1))
		}
	})
}
