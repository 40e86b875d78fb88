link 5g {
    device "wwan0"
}
