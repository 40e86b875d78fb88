link wan {
    device "eth0"
    prefer
    prefer "gso" split
    prefer prefer gso split
}
