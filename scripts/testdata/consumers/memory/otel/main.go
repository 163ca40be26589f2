// Command consumer exports the metrics of package memory to OpenTelemetry.
package main

import (
	"fmt"
	"log"

	"go.opentelemetry.io/otel/metric/noop"

	"github.com/gotorch/gotorch/memory/otel"
)

func main() {
	registration, err := otel.Register(noop.NewMeterProvider())
	if err != nil {
		log.Fatal(err)
	}
	if err := registration.Unregister(); err != nil {
		log.Fatal(err)
	}
	fmt.Println("registered")
}
