package main

import (
	"context"
)

func up(context.Context, []string) error { return nil }
