<?php

namespace First;

define('FIRST', 1);

class One
{
    public function run(): void
    {
    }
}

namespace Second\Part;

echo \First\FIRST;

class Two extends \First\One
{
}

function héllo(): string
{
    return 'wörld';
}
