tier a { match remote address 10.0.0.300 }
