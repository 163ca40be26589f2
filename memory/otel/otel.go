// Package otel exports gotorch's metrics of tensors, their memory and garbage collections
// to OpenTelemetry. The metrics are the same as in package memory/metrics, but have
// OpenTelemetry names: gotorch_memory_reserved_bytes is gotorch.memory.reserved with the
// unit By (bytes). OpenTelemetry's exporter for Prometheus changes these names back to
// the names in package memory/metrics.
package otel

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/gotorch/gotorch/memory/metrics"
	"github.com/gotorch/gotorch/torch"
)

// scope is the name of the meter that the instruments belong to.
const scope = "github.com/gotorch/gotorch/memory/otel"

// Register creates an observable counter or an observable gauge for each metric of
// [metrics.Read]. Each time the provider collects, all metrics are read once. Labels become
// attributes. To stop the export, call Unregister on the result. Register returns the
// provider's errors, or an error of kind torch.ErrNil if provider is nil.
func Register(provider metric.MeterProvider) (metric.Registration, error) {
	if provider == nil {
		return nil, torch.NewError("otel.Register", torch.ErrNil, "provider", "a nil MeterProvider")
	}
	meter := provider.Meter(scope)
	byName := map[string]metric.Float64Observable{}
	var all []metric.Observable
	for _, m := range metrics.Describe() {
		i, err := instrument(meter, m)
		if err != nil {
			return nil, err
		}
		byName[m.Name] = i
		all = append(all, i)
	}
	return meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		for _, m := range metrics.Read() {
			for _, s := range m.Samples {
				o.ObserveFloat64(byName[m.Name], s.Value, metric.WithAttributes(attributes(s.Labels)...))
			}
		}
		return nil
	}, all...)
}

func instrument(meter metric.Meter, m metrics.Metric) (metric.Float64Observable, error) {
	if m.Kind == metrics.KindCounter {
		return meter.Float64ObservableCounter(m.OTelName, metric.WithDescription(m.Help), metric.WithUnit(m.Unit))
	}
	return meter.Float64ObservableGauge(m.OTelName, metric.WithDescription(m.Help), metric.WithUnit(m.Unit))
}

func attributes(labels []metrics.Label) []attribute.KeyValue {
	out := make([]attribute.KeyValue, len(labels))
	for i, l := range labels {
		out[i] = attribute.String(l.Name, l.Value)
	}
	return out
}
