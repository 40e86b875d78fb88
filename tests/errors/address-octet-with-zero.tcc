tier a { match remote address 010.0.0.1 }
