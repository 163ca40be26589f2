package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"

	"github.com/goccy/go-json"

	"github.com/gotorch/gotorch/examples/internal/twin"
	"github.com/gotorch/gotorch/torch"
)

// asked is the number of requests that ask sends.
const asked = 200

// ask sends requests with random inputs to the server at url, one at a time, and logs the
// numbers in the responses.
func (s *service) ask(ctx context.Context, url string, log *twin.Log) error {
	torch.ManualSeed(1)
	size := int(s.shape.Numel())
	x := torch.Randn(torch.Shape{asked, int64(size)})
	numbers := x.Float32s()
	_ = x.Close() // never fails
	for i := range asked {
		body, err := json.Marshal(input{numbers[i*size : (i+1)*size]})
		if err != nil {
			return err
		}
		y, err := answerOf(ctx, url+"/predict", body)
		if err != nil {
			return err
		}
		for _, v := range y {
			log.Add(float64(v))
		}
	}
	return nil
}

// answerOf posts body to url and returns the numbers in the response.
func answerOf(ctx context.Context, url string, body []byte) ([]float32, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", url, response.Status)
	}
	var y output
	err = json.NewDecoder(response.Body).Decode(&y)
	return y.Output, err
}
