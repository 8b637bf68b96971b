<?php

namespace Shop\Orders;

function größe(): void
{
    (void) close();
}
