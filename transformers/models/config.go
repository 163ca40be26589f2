package models

import (
	"fmt"
	"strings"
)

// largestSize is the largest size that a model may have. The number of bytes of a matrix of
// two such sizes fits an int64.
const largestSize = 1 << 28

// CheckSizes reports the first of the values that is not between 1 and 2²⁸, or 65,536 for
// a number of layers. names are the fields of config.json, separated by spaces.
func CheckSizes(names string, values ...int64) error {
	for i, name := range strings.Fields(names) {
		most := int64(largestSize)
		if strings.HasSuffix(name, "layers") || name == "n_layer" {
			most = 1 << 16
		}
		if v := values[i]; v < 1 || v > most {
			return fmt.Errorf("%s: expected a number from 1 to %d, got %d", name, most, v)
		}
	}
	return nil
}

// CheckProbabilities reports the first of the values that is not between 0 and 1. names
// are the fields of config.json, separated by spaces.
func CheckProbabilities(names string, values ...float64) error {
	for i, name := range strings.Fields(names) {
		if v := values[i]; !(v >= 0 && v <= 1) {
			return fmt.Errorf("%s: expected a probability, got %v", name, v)
		}
	}
	return nil
}
