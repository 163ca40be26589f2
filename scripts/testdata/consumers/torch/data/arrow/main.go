// Command consumer writes a column with Arrow's own library and reads it as a tensor.
package main

import (
	"fmt"
	"log"
	"os"

	lib "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/gotorch/gotorch/torch/data/arrow"
)

func main() {
	schema := lib.NewSchema([]lib.Field{{Name: "x", Type: lib.PrimitiveTypes.Float32}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	b.Field(0).(*array.Float32Builder).AppendValues([]float32{1, 2, 4}, nil)
	file, err := os.Create(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	w := ipc.NewWriter(file, ipc.WithSchema(schema))
	if err := w.Write(b.NewRecordBatch()); err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	table, err := arrow.ReadTable(file.Name())
	if err != nil {
		log.Fatal(err)
	}
	sum := table.Column("x").Sum().Item()
	fmt.Println("the column's sum is", sum)
	if sum != 7 {
		log.Fatal("expected 7")
	}
}
