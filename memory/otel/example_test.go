package otel_test

import (
	"context"
	"fmt"
	"log"

	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/gotorch/gotorch/memory/otel"
	"github.com/gotorch/gotorch/torch"
)

// A program passes its provider to Register. This example reads the metrics itself; usually
// a reader exports them.
func Example() {
	reader := sdk.NewManualReader()
	provider := sdk.NewMeterProvider(sdk.WithReader(reader))
	if _, err := otel.Register(provider); err != nil {
		log.Fatal(err)
	}

	x := torch.Ones(torch.Shape{1000})
	defer x.Close()
	var all metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &all); err != nil {
		log.Fatal(err)
	}
	for _, m := range all.ScopeMetrics[0].Metrics {
		if m.Name == "gotorch.memory.requested" {
			fmt.Println(m.Description, m.Unit, m.Data.(metricdata.Gauge[float64]).DataPoints[0].Value)
		}
	}
	// Output: Bytes requested by tensors, by device. By 4000
}
