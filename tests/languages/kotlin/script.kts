#!/usr/bin/env kotlin

import java.io.File

plugins {
    kotlin("jvm") version "2.0.0"
}

val version = "1.0"
val (major, minor) = version.split(".")

tasks.register("hello") {
    val inLambda = version

    fun helper(): String = inLambda

    doLast { println(helper()) }
}

fun greet(name: String) {
    println("Hello, $name")
}

greet(File("x").name)
