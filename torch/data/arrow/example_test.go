package arrow_test

import (
	"fmt"
	"log"

	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torch/data/arrow"
)

// Read, row by row, a Parquet file that is larger than memory.
func Example() {
	set, err := arrow.NewDataset("testdata/table.parquet", arrow.Columns{"f32", "flag"}, arrow.Targets{"flag"})
	if err != nil {
		log.Fatal(err)
	}
	for batch := range data.NewIterableLoader(set, data.BatchSize(4)).All() {
		fmt.Println(batch.Input.Shape(), batch.Target.ToList())
	}
	// Output:
	// (4, 1) [true false false true]
	// (3, 1) [false false true]
}

// Two workers share the row groups of a file.
func ExampleNewDataset() {
	set, err := arrow.NewDataset("testdata/table.parquet", arrow.Columns{"f32"})
	if err != nil {
		log.Fatal(err)
	}
	rows := 0
	for batch := range data.NewIterableLoader(set, data.BatchSize(2), data.NumWorkers(2)).All() {
		rows += len(batch.Input.Float32s())
	}
	fmt.Println(rows)
	// Output:
	// 7
}
